#!/usr/bin/env bash
# Runs a command as a step of a longer run, and prints its duration and the share of the machine's processors that it
# used. A step with a small share mostly waits, so another one can run at the same time.
#
#   Scripts/step.sh NAME COMMAND [ARGUMENT...]
#
# If MEDIACACHE_TIMES is set, appends that line to the file at that path.
set -uo pipefail

name=$1
shift
began=$SECONDS
echo "=== $name"
status=0
"$@" || status=$?
elapsed=$((SECONDS - began))
# The second line of `times` has the user and the system time of all children, as in "1m2.345s 0m0.678s". In a subshell,
# it would have those of the subshell's children.
file=$(mktemp)
times >"$file"
used=$(awk -v elapsed="$elapsed" -v cores="$(getconf _NPROCESSORS_ONLN)" '
    function seconds(text, parts) { split(text, parts, /[ms]/); return parts[1] * 60 + parts[2] }
    END { printf "%.0f", 100 * (seconds($1) + seconds($2)) / (elapsed > 0 ? elapsed : 1) / cores }' "$file")
rm -f "$file"
line=$(printf '%5d s %3d %%  %s' "$elapsed" "$((used > 100 ? 100 : used))" "$name")
[ "$status" = 0 ] || line+=" (failed)"
echo "=== $line"
[ -z "${MEDIACACHE_TIMES:-}" ] || echo "$line" >>"$MEDIACACHE_TIMES"
exit "$status"
