#!/bin/sh
# Generates the embedded built-in types, kubernetes-1.N.json.gz, from versions of the module k8s.io/api.
#
#   generate.sh            writes the files to the folder of this script
#   generate.sh --check    writes nothing; fails if a file differs from the generated content
#
# Needs Go, and the Go module proxy for releases that are not in the module cache.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# The latest patch version of each release that the module proxy lists, which begins at 1.17 and lacks 1.18 and 1.19;
# for 1.20, 1.22, 1.26, 1.27 and 1.28 that of runner/adapters/apiserver/releases, which is later.
releases="v0.17.5 v0.20.15 v0.22.17 v0.24.3 v0.26.15 v0.27.16 v0.28.15 v0.30.14 v0.32.13 v0.34.13 v0.36.6 v0.37.2"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$here/gen" && go build -p 1 -o "$work/gen" .)

stale=0
for version in $releases; do
    minor=${version#v0.}
    name=kubernetes-1.${minor%%.*}.json.gz
    "$work/gen" -module "$version" -out "$work/$name"
    if [ "${1:-}" != --check ]; then
        mv "$work/$name" "$here/$name"
        continue
    fi
    # The uncompressed contents are compared, because Go versions may compress differently.
    gzip -dc "$work/$name" > "$work/new"
    gzip -dc "$here/$name" > "$work/old" || true
    if ! cmp -s "$work/old" "$work/new"; then
        echo "$name is out of date: run engine/builtin/generate.sh" >&2
        stale=1
    fi
done
exit $stale
