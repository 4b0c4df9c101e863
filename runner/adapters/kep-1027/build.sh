#!/bin/sh
# Builds the adapter of KEP-1027.
#
#   build.sh [PATH]
#
# PATH is the binary to write; without it, target/skewer-kep-1027 at the root of the repository.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec "$here/../internal/conversation/build.sh" "$here" "${1:-$here/../../../target/skewer-kep-1027}"
