#!/usr/bin/env bash
# Renders the pictures of the HTML report again, from a run of the corpus. Needs Chromium.
set -euo pipefail
cd "$(dirname "$0")/../.."
chromium=${SKEWER_BROWSER:-$(command -v chromium chromium-browser google-chrome chrome | head -n 1)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo build --quiet
target/debug/skewer run --laws --report "html=$work/report.html" > "$work/table"
picture() { # picture NAME WIDTH HEIGHT HASH [dark]
  local scheme=1
  if [ "${5:-}" = dark ]; then scheme=0; fi
  "$chromium" --headless --no-sandbox --disable-gpu --no-first-run --hide-scrollbars --user-data-dir="$work/profile" \
    --blink-settings=preferredColorScheme=$scheme --window-size="$2,$3" --virtual-time-budget=5000 \
    --screenshot="$PWD/reports/images/$1.png" "file://$work/report.html#$4" 2> "$work/$1.log"
  # A page has few colours, so that a small palette is enough.
  if command -v convert > /dev/null; then convert "reports/images/$1.png" +dither -colors 200 "PNG8:reports/images/$1.png"; fi
}
picture summary 1320 760 summary
picture cell 1150 1400 'cell-unions/kep-rows/row-12%5Bpolicy=none%5D' dark
picture beside 1200 860 'beside?by=policy&text=kep-rows%2Frow-'
picture laws 1200 800 laws
