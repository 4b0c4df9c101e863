#!/usr/bin/env bash
# Measures the Go library and this engine on the same bytes, alternately in one session, and prints medians and ratios.
#
#   engine/benches/compare-go.sh [TURNS]     # number of alternations, default 5
#
# Needs Go.
set -euo pipefail
cd "$(dirname "$0")/../.."
turns=${1:-5}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

(cd runner/adapters/apimachinery && go build -o "$work/go-bench" ./cmd/bench)
"$work/go-bench" -write "$work"
export SKEWER_BENCH_DOCUMENTS=$work
ours=$(cargo bench -p skewer-engine --bench engine --no-run --message-format=json 2>/dev/null |
  sed -n 's/.*"executable":"\([^"]*\/engine-[^"]*\)".*/\1/p' | tail -1)

# Both functions print lines of a name and nanoseconds. divan prints a tree with the columns name, fastest, slowest,
# median and mean; each time is followed by its unit.
go_times() { "$work/go-bench" -rounds 5 | awk 'NR > 1 { n = $1; for (i = 2; i <= NF - 3; i++) n = n "_" $i; sub(/-/, "_", n); print n "_median", $(NF - 2); print n "_mean", $(NF - 1); print n "_processor", $NF }'; }
our_times() {
  "$ours" --bench --sample-count 300 deployment:: | sed 's/[│├╰─]/ /g' | awk '
    BEGIN { unit["ns"] = 1; unit["µs"] = 1e3; unit["ms"] = 1e6; unit["s"] = 1e9 }
    $3 in unit && $9 in unit { print $1 "_median", $6 * unit[$7]; print $1 "_mean", $8 * unit[$9] }'
}
for turn in $(seq "$turns"); do
  printf 'turn %d of %d\n' "$turn" "$turns" >&2
  go_times >>"$work/go.txt"
  our_times >>"$work/ours.txt"
done

median_of() { awk -v name="$1" '$1 == name { print $2 }' "$2" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
# The mean of thousands of operations is the number that `testing.B` reports. The median excludes rare interruptions.
# The processor time of Go includes the threads of its garbage collector; the engine has no other threads.
printf '%-17s %12s %12s %8s %8s %8s\n' operation 'Go, mean ns' 'ours' ratio median processor
for name in apply_small apply two_way three_way server_side_apply managed_update; do
  go=$(median_of "${name}_mean" "$work/go.txt") ours=$(median_of "${name}_mean" "$work/ours.txt")
  go_median=$(median_of "${name}_median" "$work/go.txt") our_median=$(median_of "${name}_median" "$work/ours.txt")
  processor=$(median_of "${name}_processor" "$work/go.txt")
  awk -v n="$name" -v g="$go" -v o="$ours" -v gm="$go_median" -v om="$our_median" -v p="$processor" \
    'BEGIN { printf "%-17s %12d %12d %7.1fx %7.1fx %8.1fx\n", n, g, o, g / o, gm / om, p / o }'
done
for kind in '' _small; do
  apply=$(median_of "apply${kind}_median" "$work/ours.txt") floor=$(median_of "read_and_write${kind}_median" "$work/ours.txt")
  awk -v n="apply$kind" -v a="$apply" -v f="$floor" 'BEGIN { printf "%s is %.2f times reading both documents and writing the result (%d ns)\n", n, a / f, f }'
done
