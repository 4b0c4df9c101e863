#!/bin/sh
# Builds the Go adapter with another release of k8s.io/apimachinery.
#
#   release.sh RELEASE [PATH]
#
# RELEASE is one of those in releases/. PATH is the binary to write; without it, target/skewer-apimachinery-RELEASE at the
# root of the repository. The adapter then has the operations that its code can call in that release, which are those on
# patches. It reports them, and the version.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
release=${1:-}
if [ -z "$release" ] || [ ! -f "$here/releases/$release.mod" ]; then
  releases=$(cd "$here/releases" && printf '%s\n' *.mod | sed 's/\.mod$//' | sort -V | tr '\n' ' ')
  echo "release.sh: expected a release, but got '$release'. The releases are: ${releases% }" >&2
  exit 2
fi
out=${2:-$here/../../../target/skewer-apimachinery-$release}

# What the code of the adapter needs, and the release does not have.
tags=no_managed_fields,no_unions
case $release in
  0.17 | 0.20 | 0.24 | 0.27) tags=$tags,github_json_patch,no_openapi_v3 ;;
  0.30) tags=$tags,github_json_patch ;;
esac

exec "$here/../internal/conversation/build.sh" "$here" "$out" -modfile "releases/$release.mod" -tags "$tags"
