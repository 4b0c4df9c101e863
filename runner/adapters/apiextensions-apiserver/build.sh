#!/bin/sh
# Builds the adapter that admits custom resources with k8s.io/apiextensions-apiserver.
#
#   build.sh [PATH]
#
# PATH is the binary to write; without it, target/skewer-apiextensions-apiserver at the root of the repository.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec "$here/../internal/conversation/build.sh" "$here" "${1:-$here/../../../target/skewer-apiextensions-apiserver}"
