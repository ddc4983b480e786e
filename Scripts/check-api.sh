#!/usr/bin/env bash
# Compares what a running server answers with docs/openapi.yaml, with schemathesis and with requests by hand.
#
#   Scripts/check-api.sh PATH-OF-MEDIACACHE [SEED]
#
# EXAMPLES says how many requests are made up for each operation, PYTHON names the command for Python. The server, its folder and its origin are its own; only what was started here is ended.
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
[ -x "$program" ] || fail "$program isn't a program"

has() { command -v "$1" >/dev/null 2>&1; }

has ffmpeg || fail "ffmpeg is missing; 'make setup' installs it"
python=$("$root/Scripts/python.sh")

# In the foreground, for Ctrl-C. The first signal is an interrupt, upon which the server is ended.
status=0
PYTHONDONTWRITEBYTECODE=1 timeout --foreground --signal=INT --kill-after=20 "$limit" \
    "$python/python" "$tests/check.py" "$program" "$@" || status=$?
[ "$status" != 124 ] || fail "not done after $limit s"
exit "$status"
