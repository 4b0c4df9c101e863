#!/bin/sh
# Builds the kube-fake-client adapter.
#
#   build.sh [PATH]
#
# PATH is the binary to write; without it, target/skewer-kube-fake-client-adapter at the root of the repository.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec "$here/../internal/rust/build.sh" "$here" "${1:-$here/../../../target/skewer-kube-fake-client-adapter}"
