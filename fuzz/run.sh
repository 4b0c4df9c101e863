#!/usr/bin/env bash
# Runs all fuzz targets, or the named ones, one after the other, at the lowest priority.
#
#   fuzz/run.sh [SECONDS] [TARGET…]     # SECONDS for each target, default 500; all targets take an hour
#
# Exits with 1 if a target failed; fuzz/artifacts then contains the input. Needs cargo-fuzz and a nightly compiler.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-500}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(basename -s .rs fuzz_targets/*.rs)
exit_code=0
for target in "${targets[@]}"; do
  mkdir -p "corpus/$target"
  nice -n 19 cargo +nightly fuzz run -O "$target" "corpus/$target" "seeds/$target" -- \
    -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 -print_final_stats=1 || exit_code=1
done
exit $exit_code
