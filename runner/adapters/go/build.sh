#!/bin/sh
# Builds the Go reference adapter.
#
#   build.sh [PATH]
#
# PATH is the binary to write; without it, target/skewer-go-adapter at the root of the repository.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec "$here/../conversation/build.sh" "$here" "${1:-$here/../../../target/skewer-go-adapter}"
