#!/usr/bin/env bash
# Runs a build, and prints the time of each target that took at least a second, the longest first. Of the lines of the
# build's output that name targets, the time from each to the next one counts for the target in the later line. Two
# targets are often compiled at the same time, so the sums are estimates.
#
#   Scripts/build-times.sh COMMAND [ARGUMENT...]
#
# If MEDIACACHE_TIMES is set, appends the times to the file at that path.
set -uo pipefail

# Copies the output of a build, and prints the times afterwards.
measure() {
    local line target now last=${EPOCHREALTIME/./}
    local -A times=()
    while IFS= read -r line; do
        printf '%s\n' "$line"
        [[ "$line" =~ ^\[[0-9]+/[0-9]+\]\ (Compiling|Emitting\ module|Linking|Wrapping\ AST\ for)\ ([A-Za-z0-9_.-]+) ]] || continue
        target=${BASH_REMATCH[2]}
        now=${EPOCHREALTIME/./}
        times[$target]=$((${times[$target]:-0} + now - last))
        last=$now
    done
    for target in "${!times[@]}"; do
        ((times[$target] < 1000000)) || printf '%s %d\n' "$target" $((times[$target] / 1000000))
    done | sort -k 2 -n -r | awk '{ line = line (NR > 1 ? ", " : "") $1 " " $2 " s" } END { if (NR > 0) print line }' |
        fold -s -w 106 | sed 's/^/         /' | tee -a "${MEDIACACHE_TIMES:-/dev/null}"
}

"$@" 2>&1 | measure
exit "${PIPESTATUS[0]}"
