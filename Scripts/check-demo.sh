#!/usr/bin/env bash
# Starts the demo and reads its page, and its clip twice and after restarts.
#
#   Scripts/check-demo.sh PATH-OF-MEDIACACHE
#
# It uses free ports and a temporary cache folder, and stops only the processes that it started.
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
    echo "--- the demo's output" >&2
    cat "$folder/output" "$folder/errors" >&2 2>/dev/null || true
    exit 1
}

# Starts the demo with options, waits for the address in its output, and sets `page`, `key` and `base`.
start() {
    : >"$folder/output"
    "$program" demo --cache "$folder/cache" --port 0 "$@" >"$folder/output" 2>"$folder/errors" &
    process=$!
    local tries address=""
    for ((tries = 0; tries < 300; tries++)); do
        address=$(grep -oE 'http://[^ ]*#key=[^ ]+' "$folder/output" | head -n 1 || true)
        [ -z "$address" ] || break
        kill -0 "$process" 2>/dev/null || fail "the demo exited before it printed its address"
        sleep 0.1
    done
    [ -n "$address" ] || fail "no address with #key= within 30 s"
    page=${address%%#*}
    key=${address##*#key=}
    base=$(grep -oE '^http://[^/]+' <<<"$page")
}

get() { curl --silent --show-error --fail --max-time 60 "$@"; }

# Prints a property of the state that the page reads.
state() {
    get -H "Authorization: Bearer $key" "$base/demo/state" | tr -d '\n' |
        sed -E "s/.*\"$1\" *: *\"?([^\",}]*)\"?.*/\\1/; s/\\\\\\//\\//g"
}

# Prints the clip's play URL.
play_url() {
    get -H "Authorization: Bearer $key" -G --data-urlencode "url=$(state clipURL)" "$base/api/v1/urls" |
        sed -E 's/.*"playURL" *: *"([^"]*)".*/\1/'
}

# A port below those that the system assigns to connections, so that it's still free at a restart.
choose_port() { origin_port=$((20000 + RANDOM % 10000)); }
choose_port
while (: <"/dev/tcp/127.0.0.1/$origin_port") 2>/dev/null; do choose_port; done

start --origin-port "$origin_port"
get "$page" >"$folder/page"
grep -q '<video' "$folder/page" || fail "the page at $page has no player"
status=$(curl --silent --output /dev/null --write-out '%{http_code}' "$base/demo/state")
[ "$status" = 401 ] || fail "/demo/state responded with $status without the key; expected 401"

origin=$(state clipURL)
play=$(play_url)
first=$((1500 * 1000))
get --range "$first-$((first + 65535))" "$origin" >"$folder/from-origin"
get --range "$first-$((first + 65535))" "$play" >"$folder/from-cache"
cmp "$folder/from-origin" "$folder/from-cache" || fail "a range through the cache differs from the origin's"
echo "check-demo: the page works, and a range through the cache equals the origin's"

get "$play" | cmp - "$clip" || fail "the clip through the cache differs from the file"
before="$(state originBytesSent) bytes, $(state originRequests) requests"
get "$play" | cmp - "$clip" || fail "the second read differs from the file"
after="$(state originBytesSent) bytes, $(state originRequests) requests"
[ "$before" = "$after" ] || fail "the second read used the origin: before $before, after $after"
echo "check-demo: the second read didn't use the origin ($after in total)"

# Restarts twice: opening a cache can write to it, so the second restart reads the cache as the first one left it.
for restart in first second; do
    stop
    start --origin-port "$origin_port"
    get "$(play_url)" | cmp - "$clip" || fail "after the $restart restart the clip differs from the file"
    sent=$(state originBytesSent)
    [ "$sent" = 0 ] || fail "after the $restart restart the origin sent $sent bytes of cached data"
done
echo "check-demo: the clip is still cached after two restarts; the origin sent 0 bytes"
