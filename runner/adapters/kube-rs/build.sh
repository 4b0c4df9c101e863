#!/bin/sh
# Builds the adapter of kube-rs for one release.
#
#   build.sh RELEASE [PATH]
#
# RELEASE is one of those in releases/. PATH is the binary to write; without it, target/skewer-kube-rs-RELEASE at the root of
# the repository.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
release=${1:-}
if [ -z "$release" ] || [ ! -f "$here/releases/$release.toml" ]; then
  releases=$(cd "$here/releases" && printf '%s\n' *.toml | sed 's/\.toml$//' | tr '\n' ' ')
  echo "build.sh: expected a release, but got '$release'. The releases are: ${releases% }" >&2
  exit 2
fi
build=$here/target/$release/kube-rs
rm -rf "$build/src"
mkdir -p "$build"
cp -R "$here/src" "$build"
cp "$here/releases/$release.toml" "$build/Cargo.toml"
cp "$here/releases/$release.lock" "$build/Cargo.lock"
exec "$here/../internal/rust/build.sh" "$build" "${2:-$here/../../../target/skewer-kube-rs-$release}"
