#!/bin/sh
# Builds the adapter that runs the request handlers of one Kubernetes release.
#
#   build.sh RELEASE [PATH]
#
# RELEASE is 1.28, for example. PATH is the binary to write; without it, target/skewer-apiserver-RELEASE at the root of
# the repository.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/release.sh"
choose_release "$@"
out=${2:-$here/../../../target/skewer-apiserver-$release}
mkdir -p "$(dirname -- "$out")"
out=$(CDPATH='' cd -- "$(dirname -- "$out")" && pwd)/$(basename -- "$out")

cd "$here"
echo "building $out" >&2
go build -mod=readonly -buildvcs=false -trimpath -ldflags='-s -w' -modfile "$modfile" -tags "$tags" -o "$out" .
echo "$out"
