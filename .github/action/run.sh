#!/usr/bin/env bash
# Runs cases and audits types, as the inputs of the action say. Reports go to $RUNNER_TEMP/skewer-reports, annotations to
# standard output, and tables to the summary of the job. Exits with the highest exit code of the commands.
#
#   CORPUS, TARGET, PATTERNS          the cases, or empty
#   AUDIT_OLD, AUDIT_NEW, FAIL_ON     the types, or empty
set -uo pipefail

reports=$RUNNER_TEMP/skewer-reports
mkdir -p "$reports"
if [ -z "${CORPUS:-}" ] && [ -z "${AUDIT_OLD:-}" ]; then
  echo "::error::nothing to do: set the input corpus, or audit-old and audit-new"
  exit 2
fi
if [ -n "${AUDIT_OLD:-}" ] && [ -z "${AUDIT_NEW:-}" ]; then
  echo "::error::audit-old needs audit-new"
  exit 2
fi

exit_code=0
finish() { # finish EXIT_CODE: keeps the highest one
  [ "$1" -le "$exit_code" ] || exit_code=$1
}

if [ -n "${CORPUS:-}" ]; then
  read -ra patterns <<<"${PATTERNS:-}"
  skewer run --corpus "$CORPUS" --target "${TARGET:-builtin}" "${patterns[@]+"${patterns[@]}"}" \
    --report "json=$reports/results.json" --report "html=$reports/report.html" --report "junit=$reports/junit.xml" \
    --report "markdown=$reports/summary.md" --report "github=$reports/annotations.txt"
  finish $?
  # A run that could not start has written nothing.
  if [ -s "$reports/annotations.txt" ]; then cat "$reports/annotations.txt"; fi
  if [ -s "$reports/summary.md" ]; then cat "$reports/summary.md" >>"$GITHUB_STEP_SUMMARY"; fi
fi

if [ -n "${AUDIT_OLD:-}" ]; then
  audit=(skewer audit "$AUDIT_OLD" "$AUDIT_NEW")
  "${audit[@]}" --fail-on "${FAIL_ON:-silent}" --format github
  code=$?
  finish "$code"
  # 1 is a finding. Other codes say that there is no audit to report.
  if [ "$code" -le 1 ]; then
    "${audit[@]}" --fail-on never --format html >"$reports/audit.html"
    "${audit[@]}" --fail-on never --format markdown | tee "$reports/audit.md" >>"$GITHUB_STEP_SUMMARY"
  fi
fi
exit "$exit_code"
