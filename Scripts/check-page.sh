#!/usr/bin/env bash
# Drives the page that the server shows with a browser: adding, playing, replaying, saving, the keyboard alone,
# accessibility, what it says when something fails, and that hostile header fields of origins run no script.
#
#   Scripts/check-page.sh PATH-OF-MEDIACACHE [--screenshots [FOLDER]] [TEST...]
#
# --screenshots writes pictures of the page, to docs/screenshots unless a folder is named. TEST is a file's or a test's
# name as Python's unittest takes it, such as test_replay. CHROMIUM names the browser, PYTHON the command for Python.
# Only what was started here is ended.
set -euo pipefail

limit=1020

fail() {
    echo "check-page: $*" >&2
    exit 1
}

[ $# -gt 0 ] || fail "usage: Scripts/check-page.sh PATH-OF-MEDIACACHE [--screenshots [FOLDER]] [TEST...]"
root=$(cd "$(dirname "$0")/.." && pwd)
tests="$root/Tests/PageTests"
MEDIACACHE=$(realpath "$1")
shift
[ -x "$MEDIACACHE" ] || fail "$MEDIACACHE isn't a program"

names=()
while [ $# -gt 0 ]; do
    case $1 in
        --screenshots)
            folder="$root/docs/screenshots"
            if [ $# -gt 1 ] && [[ $2 != test_* ]]; then
                folder=$2
                shift
            fi
            mkdir -p "$folder"
            MEDIACACHE_SCREENSHOTS=$(realpath "$folder")
            export MEDIACACHE_SCREENSHOTS
            ;;
        *) names+=("$1") ;;
    esac
    shift
done

has() { command -v "$1" >/dev/null 2>&1; }

browser=${CHROMIUM:-chromium}
for program in ffmpeg ffprobe "$browser"; do
    has "$program" || fail "$program is missing; 'make setup' installs it"
done
python=$("$root/Scripts/python.sh")

CHROMIUM=$(command -v "$browser")
MEDIACACHE_PAGE_MEDIA="$root/.build/page-media"
export MEDIACACHE CHROMIUM MEDIACACHE_PAGE_MEDIA PYTHONDONTWRITEBYTECODE=1

cd "$tests"
arguments=(discover --verbose)
[ ${#names[@]} -eq 0 ] || arguments=(--verbose "${names[@]}")
# In the foreground, for Ctrl-C. The first signal is an interrupt, upon which the tests end the server and the browser.
status=0
timeout --foreground --signal=INT --kill-after=20 "$limit" "$python/python" -m unittest "${arguments[@]}" ||
    status=$?
[ "$status" != 124 ] || fail "not done after $limit s"
exit "$status"
