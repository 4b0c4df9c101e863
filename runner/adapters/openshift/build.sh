#!/bin/sh
# Installs the openshift adapter.
#
#   build.sh [PATH]
#
# PATH is the folder to install into; without it, target/skewer-openshift-adapter at the root of the repository.
# Prints the path of the command.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec "$here/../examples/python/install.sh" "$here" "${1:-$here/../../../target/skewer-openshift-adapter}"
