#!/usr/bin/env bash
# Runs `swift test` with the arguments given; when it fails, repeats at the end what failed, since thousands of lines
# may stand between the failure and the end of the log.
set -uo pipefail

log=$(mktemp)
trap 'rm -f "$log"' EXIT

"${SWIFT:-swift}" test --disable-xctest "$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}

if ((status != 0)); then
    echo
    echo "=== What failed:"
    # Details of an expectation can be a whole array; its beginning is enough here.
    grep -aE '^✘|^[^ ]+: error: |Fatal error|SUMMARY: ' "$log" | cut -c 1-600 | head -n 100
fi
exit "$status"
