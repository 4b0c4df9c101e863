#!/usr/bin/env bash
# Runs a generated matrix of a million cells and prints the time and the peak memory.
#
#   engine/benches/million-cells.sh [COPIES]     # number of copies of the cells, default 51, for a million cells
#
# The matrix is that of cases/corpus/unions/kep-matrix.yaml with one more axis. $RESULTS names
# the results file (default: a temporary file). $SKEWER names the program (default: built from source). Needs GNU time.
set -euo pipefail
cd "$(dirname "$0")/../.."
copies=${1:-51}
suite=unions/kep-matrix
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
results=${RESULTS:-$work/results.json}

mkdir -p "$work/corpus/$(dirname $suite)"
awk -v copies="$copies" '
  { print }
  /^axes:/ { print "  copy:"; for (i = 1; i <= copies; i++) printf "    c%04d: {}\n", i }
' "cases/corpus/$suite.yaml" >"$work/corpus/$suite.yaml"

[ -n "${SKEWER:-}" ] || cargo build --release -q -p skewer
/usr/bin/time -f '%e s wall, %U s user, %S s system, %M KB at most' \
  "${SKEWER:-target/release/skewer}" run --corpus "$work/corpus" --report json="$results" | tail -n 1
printf '%s cells in %s bytes of results\n' "$(grep -c '^{"id"' "$results")" "$(stat -c %s "$results")"
