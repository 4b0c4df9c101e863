#!/bin/sh
# Builds an adapter in Rust.
#
#   build.sh ADAPTER PATH
#
# ADAPTER is the folder of the adapter, and PATH the binary to write. Cargo builds in $CARGO_TARGET_DIR, or in the
# folder target of the adapter. Prints the path of the binary. On a machine with little memory, CARGO_BUILD_JOBS=1 compiles
# one crate at a time.
set -eu

adapter=$(CDPATH='' cd -- "$1" && pwd)
mkdir -p "$(dirname -- "$2")"
out=$(CDPATH='' cd -- "$(dirname -- "$2")" && pwd)/$(basename -- "$2")
name=skewer-$(basename -- "$adapter")-adapter

cd "$adapter"
target=${CARGO_TARGET_DIR:-target}
cargo build --release --locked --target-dir "$target" >&2
cp "$target/release/$name" "$out"
echo "$out"
