#!/bin/sh
# Builds the Go reference adapter.
#
#   build.sh [PATH]
#
# PATH is the binary to write; without it, target/skewer-go-adapter at the root of the repository.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
out=${1:-$here/../../../target/skewer-go-adapter}
mkdir -p "$(dirname -- "$out")"
out=$(CDPATH='' cd -- "$(dirname -- "$out")" && pwd)/$(basename -- "$out")

cd "$here"
# One package at a time: the machines that build this are small, and other work runs beside.
go build -p 1 -trimpath -o "$out" .
echo "$out"
