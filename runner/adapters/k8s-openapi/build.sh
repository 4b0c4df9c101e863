#!/bin/sh
# Builds the k8s-openapi adapter.
#
#   build.sh [PATH]
#
# PATH is the binary to write; without it, target/skewer-k8s-openapi-adapter at the root of the repository.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec "$here/../internal/rust/build.sh" "$here" "${1:-$here/../../../target/skewer-k8s-openapi-adapter}"
