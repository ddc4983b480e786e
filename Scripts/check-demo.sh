#!/usr/bin/env bash
# Starts the demo and looks at it as a browser would: the page, the clip, a second read, a second start.
#
#   Scripts/check-demo.sh PATH-OF-MEDIACACHE
#
# Ports are picked by the system, the cache is a temporary folder, and only the processes started here are ended.
set -euo pipefail

program=$1
clip="$(dirname "$0")/../Sources/CMediaCacheDemo/demo-clip.mp4"
folder=$(mktemp -d)
process=""

stop() {
    if [ -n "$process" ]; then
        kill -TERM "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
        process=""
    fi
}

finish() {
    stop
    rm -rf "$folder"
}
trap finish EXIT

fail() {
    echo "check-demo: $*" >&2
    echo "--- what the demo printed" >&2
    cat "$folder/output" "$folder/errors" >&2 2>/dev/null || true
    exit 1
}

# Starts the demo with the given options, waits for the address it prints, and sets `page` and `key`.
start() {
    : >"$folder/output"
    "$program" demo --cache "$folder/cache" --port 0 "$@" >"$folder/output" 2>"$folder/errors" &
    process=$!
    local tries address=""
    for ((tries = 0; tries < 300; tries++)); do
        address=$(grep -oE 'http://[^ ]*#key=[^ ]+' "$folder/output" | head -n 1 || true)
        [ -z "$address" ] || break
        kill -0 "$process" 2>/dev/null || fail "the demo ended before it printed its address"
        sleep 0.1
    done
    [ -n "$address" ] || fail "no address with #key= within 30 s"
    page=${address%%#*}
    key=${address##*#key=}
    base=$(grep -oE '^http://[^/]+' <<<"$page")
}

get() { curl --silent --show-error --fail --max-time 60 "$@"; }

# One field of the state that the page reads.
state() {
    get -H "Authorization: Bearer $key" "$base/demo/state" | tr -d '\n' |
        sed -E "s/.*\"$1\" *: *\"?([^\",}]*)\"?.*/\\1/; s/\\\\\\//\\//g"
}

# The clip's play URL.
play_url() {
    get -H "Authorization: Bearer $key" -G --data-urlencode "url=$(state clipURL)" "$base/api/v1/urls" |
        sed -E 's/.*"playURL" *: *"([^"]*)".*/\1/'
}

start --origin-port 0
get "$page" >"$folder/page"
grep -q '<video' "$folder/page" || fail "the page at $page has no player"
status=$(curl --silent --output /dev/null --write-out '%{http_code}' "$base/demo/state")
[ "$status" = 401 ] || fail "/demo/state answered $status without the key; it should be 401"

origin=$(state clipURL)
play=$(play_url)
first=$((1500 * 1000))
get --range "$first-$((first + 65535))" "$origin" >"$folder/from-origin"
get --range "$first-$((first + 65535))" "$play" >"$folder/from-cache"
cmp "$folder/from-origin" "$folder/from-cache" || fail "a range through the cache isn't what the origin has"
echo "check-demo: the page answers, and a range through the cache equals the origin's"

get "$play" | cmp - "$clip" || fail "the clip through the cache isn't the clip"
before="$(state originBytesSent) bytes, $(state originRequests) requests"
get "$play" | cmp - "$clip" || fail "the second read isn't the clip"
after="$(state originBytesSent) bytes, $(state originRequests) requests"
[ "$before" = "$after" ] || fail "the second read asked the origin: before $before, after $after"
echo "check-demo: the second read asked the origin for nothing ($after in all)"

# Twice: what an opening commits must not cost the next one anything.
origin_port=$(sed -E 's#^http://[^/]*:([0-9]+)/.*#\1#' <<<"$origin")
for restart in first second; do
    stop
    start --origin-port "$origin_port"
    get "$(play_url)" | cmp - "$clip" || fail "after the $restart restart the clip isn't the clip"
    sent=$(state originBytesSent)
    [ "$sent" = 0 ] || fail "after the $restart restart the origin sent $sent bytes of what was kept"
done
echo "check-demo: after two restarts all of it was still there; the origin sent 0 bytes"
