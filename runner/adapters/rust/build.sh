#!/bin/sh
# Builds an adapter in Rust.
#
#   build.sh ADAPTER PATH
#
# ADAPTER is the folder of the adapter, and PATH the binary to write. Cargo builds in $CARGO_TARGET_DIR, or in the
# folder target of the adapter. Prints the path of the binary.
set -eu

adapter=$(CDPATH='' cd -- "$1" && pwd)
mkdir -p "$(dirname -- "$2")"
out=$(CDPATH='' cd -- "$(dirname -- "$2")" && pwd)/$(basename -- "$2")
name=skewer-$(basename -- "$adapter")-adapter

cd "$adapter"
# One crate at a time: the machines that build this are small, and other work runs beside.
cargo build --release --locked -j 1 >&2
cp "${CARGO_TARGET_DIR:-target}/release/$name" "$out"
echo "$out"
