#!/bin/sh
# Builds the adapter of controller-runtime for one release.
#
#   build.sh RELEASE [PATH]
#
# RELEASE is one of those in releases/. PATH is the binary to write; without it, target/skewer-controller-runtime-RELEASE at the root of
# the repository.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec "$here/../internal/clients/build.sh" "$here" "${1:-}" "${2:-$here/../../../target/skewer-controller-runtime-${1:-}}"
