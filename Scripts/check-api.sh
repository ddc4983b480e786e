#!/usr/bin/env bash
# Compares the responses of a running server with docs/openapi.yaml, for fixed requests and for requests that
# schemathesis generates.
#
#   Scripts/check-api.sh PATH-OF-MEDIACACHE [SEED]
#
# EXAMPLES sets the number of generated requests per operation and of scenarios, PYTHON the Python command. The check
# starts a server and an origin, and stops only these.
set -euo pipefail

limit=900

fail() {
    echo "check-api: $*" >&2
    exit 1
}

[ $# -gt 0 ] || fail "usage: Scripts/check-api.sh PATH-OF-MEDIACACHE [SEED]"
root=$(cd "$(dirname "$0")/.." && pwd)
tests="$root/Tests/APITests"
program=$(realpath "$1")
shift
[ -x "$program" ] || fail "$program isn't an executable file"

command -v ffmpeg >/dev/null || fail "ffmpeg is missing; 'make setup' installs it"
python=$("$root/Scripts/python.sh")

# With --foreground, Ctrl-C reaches the check. At the time limit, timeout sends SIGINT before SIGKILL, so that the check
# can stop the server.
status=0
PYTHONDONTWRITEBYTECODE=1 timeout --foreground --signal=INT --kill-after=20 "$limit" \
    "$python/python" "$tests/check.py" "$program" "$@" || status=$?
[ "$status" != 124 ] || fail "the check didn't finish within $limit s"
exit "$status"
