#!/usr/bin/env bash
# Runs `swift test` with arguments. If it fails, repeats the failures at the end, since thousands of lines may follow
# them in the log.
set -uo pipefail

log=$(mktemp)
trap 'rm -f "$log"' EXIT

"${SWIFT:-swift}" test --disable-xctest "$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}

if ((status != 0)); then
    echo
    echo "=== Failures:"
    # The details of an expectation may be long; their beginning is enough.
    grep -aE '^✘|^[^ ]+: error: |Fatal error|SUMMARY: ' "$log" | cut -c 1-600 | head -n 100
fi
exit "$status"
