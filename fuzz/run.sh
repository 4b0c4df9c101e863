#!/usr/bin/env bash
# Fuzzes every target, or those that are named, one after the other, at the lowest priority.
#
#   fuzz/run.sh [SECONDS] [TARGET…]     # 500 seconds each where nothing is said: an hour in all
#
# Ends with 1 when something was found; it is in fuzz/artifacts. Needs cargo-fuzz and a nightly compiler.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-500}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(basename -s .rs fuzz_targets/*.rs)
found=0
for target in "${targets[@]}"; do
  mkdir -p "corpus/$target"
  nice -n 19 cargo +nightly fuzz run -O "$target" "corpus/$target" "seeds/$target" -- \
    -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 -print_final_stats=1 || found=1
done
exit $found
