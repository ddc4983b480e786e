#!/usr/bin/env bash
# Runs a command as a step of a longer run, and prints its duration.
#
#   Scripts/step.sh NAME COMMAND [ARGUMENT...]
#
# If MEDIACACHE_TIMES is set, appends the duration to the file at that path.
set -uo pipefail

name=$1
shift
began=$SECONDS
echo "=== $name"
status=0
"$@" || status=$?
line=$(printf '%5d s  %s' "$((SECONDS - began))" "$name")
[ "$status" = 0 ] || line+=" (failed)"
echo "=== $line"
[ -z "${MEDIACACHE_TIMES:-}" ] || echo "$line" >>"$MEDIACACHE_TIMES"
exit "$status"
