#!/bin/sh
# Builds the adapter of Argo CD for one release.
#
#   build.sh RELEASE [PATH]
#
# RELEASE is one of those in releases/. PATH is the binary to write; without it, target/skewer-argo-cd-RELEASE at the root of
# the repository.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec "$here/../internal/clients/build.sh" "$here" "${1:-}" "${2:-$here/../../../target/skewer-argo-cd-${1:-}}"
