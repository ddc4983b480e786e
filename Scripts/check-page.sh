#!/usr/bin/env bash
# Tests the server's page in Chromium: adding, playback, replay, saving, keyboard use, accessibility, error messages,
# and hostile header fields from origins. journeys.py, which runs only if it is named, tests the main journeys in
# Chromium and, on Linux, in Firefox and WebKitGTK.
#
#   Scripts/check-page.sh PATH-OF-MEDIACACHE [--screenshots [FOLDER]] [--part NUMBER/COUNT] [TEST...]
#
# --screenshots writes screenshots to FOLDER, a path with a slash, or to docs/screenshots. TEST is the name of a file or
# a test for Python's unittest, such as test_replay, or journeys. CHROMIUM sets the browser, by default chromium, or
# Google Chrome on macOS; PYTHON the Python command. --part runs only each COUNT-th file of tests, so that parts can run
# at the same time. The tests stop only the processes that they started.
set -euo pipefail

limit=1500

fail() {
    echo "check-page: $*" >&2
    exit 1
}

[ $# -gt 0 ] || fail "usage: Scripts/check-page.sh PATH-OF-MEDIACACHE [--screenshots [FOLDER]] [--part NUMBER/COUNT] [TEST...]"
root=$(cd "$(dirname "$0")/.." && pwd)
tests="$root/Tests/PageTests"
MEDIACACHE=$(realpath "$1")
shift
[ -x "$MEDIACACHE" ] || fail "$MEDIACACHE isn't an executable file"

names=()
while [ $# -gt 0 ]; do
    case $1 in
        --screenshots)
            folder="$root/docs/screenshots"
            if [ $# -gt 1 ] && [[ $2 == */* ]]; then
                folder=$2
                shift
            fi
            mkdir -p "$folder"
            MEDIACACHE_SCREENSHOTS=$(realpath "$folder")
            export MEDIACACHE_SCREENSHOTS
            ;;
        --part)
            [[ "${2:-}" =~ ^([1-9])/([1-9])$ ]] || fail "--part needs two numbers, such as 1/2"
            index=0
            for file in "$tests"/test_*.py; do
                index=$((index + 1))
                [ $((index % BASH_REMATCH[2])) != $((BASH_REMATCH[1] % BASH_REMATCH[2])) ] ||
                    names+=("$(basename "$file" .py)")
            done
            shift
            ;;
        *) names+=("$1") ;;
    esac
    shift
done

browser=${CHROMIUM:-chromium}
chrome="/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
if [ -z "${CHROMIUM:-}" ] && ! command -v "$browser" >/dev/null && [ -x "$chrome" ]; then browser=$chrome; fi
for program in ffmpeg ffprobe timeout; do
    command -v "$program" >/dev/null || fail "$program is missing; 'make setup' installs it"
done
command -v "$browser" >/dev/null ||
    fail "$browser is missing; 'make setup' installs it on Debian; on macOS install Google Chrome, or set CHROMIUM"
python=$("$root/Scripts/python.sh")

CHROMIUM=$(command -v "$browser")
MEDIACACHE_PAGE_MEDIA="$root/.build/page-media"
export MEDIACACHE CHROMIUM MEDIACACHE_PAGE_MEDIA PYTHONDONTWRITEBYTECODE=1

cd "$tests"
arguments=(discover --verbose)
[ ${#names[@]} -eq 0 ] || arguments=(--verbose "${names[@]}")
# With --foreground, Ctrl-C reaches the tests. At the time limit, timeout sends SIGINT before SIGKILL, so that the tests
# can stop the server and the browser.
status=0
timeout --foreground --signal=INT --kill-after=20 "$limit" "$python/python" -m unittest "${arguments[@]}" ||
    status=$?
[ "$status" != 124 ] || fail "the tests didn't finish within $limit s"
exit "$status"
