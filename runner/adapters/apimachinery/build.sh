#!/bin/sh
# Builds the Go reference adapter.
#
#   build.sh [PATH]
#
# PATH is the binary to write; without it, target/skewer-apimachinery at the root of the repository.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec "$here/../internal/conversation/build.sh" "$here" "${1:-$here/../../../target/skewer-apimachinery}"
