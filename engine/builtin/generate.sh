#!/bin/sh
# Writes the embedded built-in types, kubernetes-1.N.json.gz, from the modules k8s.io/api.
#
#   generate.sh            writes the files beside this script
#   generate.sh --check    writes nothing; fails if a file's content is not what would be written
#
# It needs Go and, for releases that are not in the module cache, the Go module proxy.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# The latest patch of each release in the module registry. The registry begins at 1.17; 1.18 and 1.19 are not in it.
releases="v0.17.5 v0.20.6 v0.22.5 v0.24.3 v0.26.9 v0.28.3 v0.30.14 v0.32.13 v0.34.13 v0.36.6 v0.37.2"

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
    # The content is compared, not the file: another release of Go may compress differently.
    gzip -dc "$work/$name" > "$work/new"
    gzip -dc "$here/$name" > "$work/old" || true
    if ! cmp -s "$work/old" "$work/new"; then
        echo "$name is not current: run engine/builtin/generate.sh" >&2
        stale=1
    fi
done
exit $stale
