#!/bin/sh
# Builds the adapter of the fake client of controller-runtime.
#
#   build.sh [PATH]
#
# PATH is the binary to write; without it, target/skewer-controller-runtime-fake at the root of the repository.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
out=${1:-$here/../../../target/skewer-controller-runtime-fake}
mkdir -p "$(dirname -- "$out")"
out=$(CDPATH='' cd -- "$(dirname -- "$out")" && pwd)/$(basename -- "$out")

cd "$here"
# One package at a time, for machines with little memory.
go build -p 1 -trimpath -o "$out" .
echo "$out"
