#!/bin/sh
# Builds the API server of one Kubernetes release, with etcd.
#
#   build.sh RELEASE [PATH]
#
# RELEASE is one of those in releases/. PATH is the binary to write; without it, target/skewer-kube-RELEASE at the root of
# the repository. Prints the path of the binary.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
release=${1:-}
if [ -z "$release" ] || [ ! -f "$here/releases/$release.mod" ]; then
  releases=$(cd "$here/releases" && printf '%s\n' *.mod | sed 's/\.mod$//' | tr '\n' ' ')
  echo "build.sh: expected a release, but got '$release'. The releases are: ${releases% }" >&2
  exit 2
fi
out=${2:-$here/../../../target/skewer-kube-$release}
mkdir -p "$(dirname -- "$out")"
out=$(CDPATH='' cd -- "$(dirname -- "$out")" && pwd)/$(basename -- "$out")

# The server tells its version, which a build of Kubernetes gets from its repository.
patch=$(sed -n 's,.*k8s\.io/kubernetes v\([^ ]*\).*,\1,p' "$here/releases/$release.mod" | head -n 1)
version=k8s.io/component-base/version
variables="-X main.release=$patch -X $version.gitVersion=v$patch"
variables="$variables -X $version.gitMajor=${release%.*} -X $version.gitMinor=${release#*.}"

cd "$here"
# No C compiler is needed, and no workspace of the user is read.
export CGO_ENABLED=0 GOWORK=off
go build -mod=readonly -buildvcs=false -trimpath -ldflags="-s -w $variables" -modfile "releases/$release.mod" \
  -tags "release_$(printf '%s' "$release" | tr . _)" -o "$out" . >&2
echo "$out"
