#!/bin/sh
# Builds the adapter of kyaml.
#
#   build.sh [PATH]
#
# PATH is the binary to write; without it, target/skewer-kyaml at the root of the repository.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec "$here/../internal/conversation/build.sh" "$here" "${1:-$here/../../../target/skewer-kyaml}"
