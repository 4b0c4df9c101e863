#!/bin/sh
# Builds the adapter of a client for one release of its tool.
#
#   build.sh ADAPTER RELEASE PATH
#
# ADAPTER is the folder of the adapter, RELEASE one of those in its folder releases, and PATH the binary to write. Prints
# the path of the binary.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
adapter=$1 release=${2:-}
if [ -z "$release" ] || [ ! -f "$adapter/releases/$release.mod" ]; then
  releases=$(cd "$adapter/releases" && printf '%s\n' *.mod | sed 's/\.mod$//' | tr '\n' ' ')
  echo "build.sh: expected a release, but got '$release'. The releases are: ${releases% }" >&2
  exit 2
fi
exec "$here/../conversation/build.sh" "$adapter" "$3" -modfile "releases/$release.mod" \
  -tags "release_$(printf '%s' "$release" | tr . _)"
