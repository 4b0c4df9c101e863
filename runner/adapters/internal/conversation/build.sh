#!/bin/sh
# Builds an adapter in Go.
#
#   build.sh ADAPTER PATH [ARGUMENT…]
#
# ADAPTER is the folder of the adapter, and PATH the binary to write. Arguments are passed to `go build`. Prints the path
# of the binary. On a machine with little memory, GOFLAGS=-p=1 compiles one package at a time.
set -eu

adapter=$(CDPATH='' cd -- "$1" && pwd)
mkdir -p "$(dirname -- "$2")"
out=$(CDPATH='' cd -- "$(dirname -- "$2")" && pwd)/$(basename -- "$2")
shift 2

cd "$adapter"
# No C compiler is needed, and no workspace of the user is read. The repository around the folder is not that of the
# sources if `skewer target install` builds them.
export CGO_ENABLED=0 GOWORK=off
go build -mod="${SKEWER_GO_MOD:-readonly}" -buildvcs=false -trimpath -ldflags='-s -w' "$@" -o "$out" . >&2
echo "$out"
