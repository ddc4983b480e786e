#!/usr/bin/env bash
# Runs `swift test` with arguments. If it fails, repeats the failures at the end, since thousands of lines may follow
# them in the log. Prints how many tests were skipped, and the missing prerequisites.
#
# If MEDIACACHE_TIMES is set, appends the number of skipped tests to the file at that path.
set -uo pipefail

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# After Ctrl-C, SwiftPM stops the tests and prints their last lines, so tee continues until then.
"${SWIFT:-swift}" test --disable-xctest "$@" 2>&1 | tee -i "$log"
status=${PIPESTATUS[0]}

# A skipped suite has a line of its own, besides those of its tests.
skipped=$(grep -acE '^[^ ]+ Test .+ skipped(\.|: )' "$log")
if ((skipped > 0)); then
    reasons=$(sed -n 's/^skipped: //p' "$log" | sort -u | paste -sd ';' - | sed 's/;/; /g')
    line="skipped tests: $skipped (${reasons:-by conditions of this system})"
    echo "=== $line"
    [ -z "${MEDIACACHE_TIMES:-}" ] || echo "         $line" >>"$MEDIACACHE_TIMES"
fi
if ((status != 0)); then
    echo
    echo "=== Failures:"
    # The details of an expectation may be long; their beginning is enough.
    grep -aE '^✘|^[^ ]+: error: |Fatal error|SUMMARY: ' "$log" | cut -c 1-600 | head -n 100
fi
exit "$status"
