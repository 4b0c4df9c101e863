#!/bin/sh
# Builds the adapter of the fake clientset of client-go.
#
#   build.sh [PATH]
#
# PATH is the binary to write; without it, target/skewer-client-go-fake at the root of the repository.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec "$here/../internal/conversation/build.sh" "$here" "${1:-$here/../../../target/skewer-client-go-fake}"
