#!/bin/sh
# Vets and tests the adapter with the request handlers of one Kubernetes release.
#
#   test.sh RELEASE [ARGUMENT…]
#
# Arguments are passed to `go test`.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/release.sh"
choose_release "$@"
shift

cd "$here"
export SKEWER_RELEASE=$release
go vet -p 1 -trimpath -modfile "$modfile" -tags "$tags" ./...
go test -p 1 -trimpath -modfile "$modfile" -tags "$tags" "$@" ./...
