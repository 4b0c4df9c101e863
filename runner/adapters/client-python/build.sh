#!/bin/sh
# Installs the adapter of the Python client for one release.
#
#   build.sh RELEASE [PATH]
#
# RELEASE is one of those in releases/. PATH is the folder to install into; without it, target/skewer-client-python-RELEASE at the
# root of the repository. Prints the path of the command.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
release=${1:-}
if [ -z "$release" ] || [ ! -f "$here/releases/$release.txt" ]; then
  releases=$(cd "$here/releases" && printf '%s\n' *.txt | sed 's/\.txt$//' | tr '\n' ' ')
  echo "build.sh: expected a release, but got '$release'. The releases are: ${releases% }" >&2
  exit 2
fi
exec "$here/../examples/python/install.sh" "$here" "${2:-$here/../../../target/skewer-client-python-$release}" \
  "$here/releases/$release.txt"
