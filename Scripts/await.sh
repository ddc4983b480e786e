# shellcheck shell=bash
# A function for the scripts that source this file and define `fail`.

# Waits until a command succeeds: await SECONDS SUBJECT COMMAND...
await() {
    local seconds=$1 subject=$2 tries
    shift 2
    for ((tries = 0; tries < 10 * seconds; tries++)); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    fail "no $subject within $seconds s"
}
