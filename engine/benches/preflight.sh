#!/usr/bin/env bash
# Takes a step of many objects and prints the time and the peak memory.
#
#   engine/benches/preflight.sh [OBJECTS…]     # numbers of objects, default 1000 10000 100000
#
# The objects and the manifests are copies of guide/examples/preflight, each in a namespace of its own: five objects and four
# manifests. The step is the change from Helm 3 to Helm 4. $SKEWER names the program (default: built from source). Needs GNU time.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ "$#" -gt 0 ] || set -- 1000 10000 100000
example=guide/examples/preflight
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# Repeats the lines of standard input, each time in another namespace.
copies() {
  awk -v copies="$1" '
    { lines[NR] = $0 }
    END {
      for (copy = 1; copy <= copies; copy++)
        for (line = 1; line <= NR; line++) {
          text = lines[line]
          sub(/namespace: shop$/, sprintf("namespace: shop-%06d", copy), text)
          print text
        }
    }'
}

[ -n "${SKEWER:-}" ] || cargo build --release -q -p skewer
for objects in "$@"; do
  copies=$((objects / 5))
  { printf 'apiVersion: v1\nkind: List\nitems:\n' && sed -n '/^items:/,/^[a-z]*: /p' "$example/objects.yaml" | grep '^[- ]' |
    copies "$copies"; } >"$work/objects.yaml"
  for manifest in "$example"/rendered/*; do printf -- '---\n' && cat "$manifest"; done | copies "$copies" >"$work/manifests.yaml"
  printf '%d objects, %d bytes: ' "$((copies * 5))" "$(stat -c %s "$work/objects.yaml")"
  COLUMNS=200 /usr/bin/time -f '%e s wall, %U s user, %S s system, %M KB at most' "${SKEWER:-target/release/skewer}" \
    preflight "$work/objects.yaml" --manifests "$work/manifests.yaml" --by helm3..helm4 --fail-on never >"$work/out" 2>"$work/err" ||
    { cat "$work/err" >&2 && exit 1; }
  tail -n 1 "$work/err" && tail -n 1 "$work/out"
done
