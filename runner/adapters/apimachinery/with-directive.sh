#!/bin/sh
# Builds the adapter with a changed copy of the strategic merge patch library: the patches that it creates have a
# directive that no server knows.
#
#   with-directive.sh [NAME] [PATH]
#
# NAME is the directive, without it $example. Every map of a patch that changes something gets it, with the value "yes".
# PATH is the binary to write; without it, target/skewer-apimachinery-with-directive at the root of the repository. As the
# client of a cell, it shows what servers do with a directive that they do not know yet:
#
#   skewer run --client-target exec:PATH --server-target apiserver:1.37 SUITE
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
directive=${1:-'$example'}
out=${2:-$here/../../../target/skewer-apimachinery-with-directive}
mkdir -p "$(dirname -- "$out")"
out=$(CDPATH='' cd -- "$(dirname -- "$out")" && pwd)/$(basename -- "$out")

cd "$here"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -R "$(go list -m -f '{{.Dir}}' k8s.io/apimachinery)" "$folder/apimachinery"
chmod -R u+w "$folder/apimachinery"
library=$folder/apimachinery/pkg/util/strategicpatch/patch.go
# At the end of diffMaps, which creates the patch of each map.
awk -v directive="$directive" '
  /^func diffMaps\(/ { inside = 1 }
  inside && /^\treturn patch, nil$/ {
    print "\tif len(patch) > 0 {"
    print "\t\tpatch[\"" directive "\"] = \"yes\""
    print "\t}"
    inserted++
  }
  /^}/ { inside = 0 }
  { print }
  END { if (inserted != 1) exit 1 }
' "$library" > "$folder/patch.go" || {
  echo "with-directive.sh: diffMaps of this version of the library has another form: the directive was not inserted" >&2
  exit 1
}
mv "$folder/patch.go" "$library"
cp go.mod go.sum "$folder/"
go mod edit -replace "k8s.io/apimachinery=$folder/apimachinery" "$folder/go.mod"
go build -p 1 -modfile "$folder/go.mod" -mod=mod -trimpath -o "$out" .
echo "$out"
