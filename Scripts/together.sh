#!/usr/bin/env bash
# Runs steps at the same time, and measures each (Scripts/step.sh). Prints the log of each step when the step ends, so
# that the logs don't mix. Fails after all steps have ended, if one failed.
#
#   Scripts/together.sh NAME COMMAND [ARGUMENT...] [-- NAME COMMAND [ARGUMENT...]]...
#
# The steps mustn't share ports or folders. Their logs remain in .build/logs.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
logs=$root/.build/logs
mkdir -p "$logs"

names=()
processes=()
# Gives each step a process group of its own, which `end` ends as a whole.
set -m

# Starts a step: start NAME COMMAND [ARGUMENT...]
start() {
    "$root/Scripts/step.sh" "$@" >"$logs/$1.log" 2>&1 </dev/null &
    names+=("$1")
    processes+=($!)
}

# Ends the steps: with SIGINT, after which they stop their servers and browsers, and after 20 s with SIGTERM.
end() {
    local signal process tries
    trap '' INT TERM HUP
    for signal in INT TERM; do
        for process in "${processes[@]}"; do kill "-$signal" -- "-$process" 2>/dev/null; done
        for ((tries = 0; tries < 200; tries++)); do
            [ -n "$(jobs -r)" ] || exit 130
            sleep 0.1
        done
    done
    exit 130
}
trap end INT TERM HUP

step=()
for argument in "$@" --; do
    if [ "$argument" = -- ]; then
        [ ${#step[@]} -lt 2 ] || start "${step[@]}"
        step=()
    else
        step+=("$argument")
    fi
done
[ ${#names[@]} -gt 0 ] || { echo "together: usage: Scripts/together.sh NAME COMMAND... [-- NAME COMMAND...]..." >&2; exit 2; }
echo "=== at the same time: $(printf '%s, ' "${names[@]}" | sed 's/, $//'); the log of each follows when it ends"

failed=()
printed=()
while [ ${#printed[@]} -lt ${#names[@]} ]; do
    sleep 0.5
    for index in "${!names[@]}"; do
        [ -z "${printed[index]:-}" ] || continue
        ! kill -0 "${processes[index]}" 2>/dev/null || continue
        wait "${processes[index]}" || failed+=("${names[index]}")
        printed[index]=yes
        cat "$logs/${names[index]}.log"
    done
done
[ ${#failed[@]} = 0 ] || { echo "together: failed: ${failed[*]}" >&2; exit 1; }
