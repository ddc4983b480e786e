#!/usr/bin/env bash
# Checks the files of Packaging and of an installation, the workflows, and the installation of Swift. The systemd unit,
# the Dockerfile, the workflows and the Homebrew formula are linted, the Prometheus rules and the Grafana dashboard are
# compared with the metrics of a running server, and requests through nginx test its configuration.
#
#   Scripts/check-packaging.sh PATH-OF-MEDIACACHE
#
# Requires python3, ffmpeg, curl, openssl, nginx, prometheus, promtool and shellcheck. Without systemd-analyze or ruby
# it reports that the unit or the formula is unchecked, or fails if MEDIACACHE_REQUIRE_ALL=1. It uses free ports and
# temporary files, and stops only the processes that it started.
set -euo pipefail

program=$(realpath "$1")
PATH=$PATH:/usr/sbin
cd "$(dirname "$0")/../Packaging"
# shellcheck source=/dev/null
source ../Scripts/await.sh
linters=$(../Scripts/python.sh)
folder=$(mktemp -d)
processes=()

finish() {
    local process
    for process in ${processes[@]+"${processes[@]}"}; do kill -TERM "$process" 2>/dev/null || true; done
    for process in ${processes[@]+"${processes[@]}"}; do wait "$process" 2>/dev/null || true; done
    rm -rf "$folder"
}
trap finish EXIT

fail() {
    echo "check-packaging: $*" >&2
    exit 1
}

say() { echo "check-packaging: $*"; }

# Returns whether an optional program is installed: has PROGRAM CHECK.
has() {
    command -v "$1" >/dev/null 2>&1 && return
    [ "${MEDIACACHE_REQUIRE_ALL:-}" != 1 ] || fail "$1 is missing, and MEDIACACHE_REQUIRE_ALL=1 forbids skipping $2"
    say "skipped $2: $1 is missing"
    return 1
}

get() { curl --silent --show-error --fail --max-time 60 "$@"; }

# Prints a free port below those that the system assigns, so that another process gets it only by requesting it.
free_port() {
    python3 -c '
import random
import socket

while True:
    port = random.randrange(20000, 30000)
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            continue
    print(port)
    break'
}

# --- the files

if has systemd-analyze "the systemd unit"; then
    # systemd-analyze requires the program and the manual page to exist.
    sed -e "s#/usr/bin/mediacache#$program#" -e '/^Documentation=/d' systemd/mediacache.service >"$folder/mediacache.service"
    found=$(systemd-analyze verify "$folder/mediacache.service" 2>&1) || fail "the unit: $found"
    [ -z "$found" ] || fail "the unit: $found"
    # An exposure level of 10 means no protection; the threshold of 20 is a level of 2.
    systemd-analyze security --offline=true --threshold=20 "$folder/mediacache.service" >"$folder/security" ||
        fail "the unit's exposure has increased: $(tail -n 1 "$folder/security")"
    say "the systemd unit is valid, exposure $(sed -n 's/.*Overall exposure level[^:]*: //p' "$folder/security")"
fi

"$linters/hadolint" docker/Dockerfile
say "the Dockerfile is valid"

# --- the installation and its license texts

# The debug build links the same components as the release build, which also contains the runtime.
linked=$(dirname "$program")/mediacache.product/Objects.LinkFileList
runtime=$("${SWIFT:-swift}" -print-target-info | sed -n 's/.*"runtimeResourcePath" *: *"\(.*\)".*/\1/p')_static/linux
licensed() { python3 checks/licenses.py "$linked" ../.build/checkouts "$runtime" "$1"; }

if [ -e "$linked" ]; then
    (umask 077 && DESTDIR=$folder/installed PREFIX=/usr ../Scripts/install.sh install "$program") ||
        fail "the command can't be installed"
    private=$(find "$folder/installed/usr" ! -perm -0444 -o -type d ! -perm -0555)
    [ -z "$private" ] || fail "other users can't read these installed files: $private"
    licenses=$folder/installed/usr/share/doc/mediacache/copyright
    licensed "$licenses" >"$folder/found" || fail "$(cat "$folder/found")"
    # The check itself must detect that the text of a dependency, of a part of one, or of the runtime is missing.
    for mistake in '/Gwendal/d' '/Fedor Indutny/d' '/UNICODE LICENSE/d' '/As an exception/d'; do
        sed "$mistake" "$licenses" >"$folder/wrong"
        ! licensed "$folder/wrong" >/dev/null || fail "licenses.py doesn't detect $mistake"
    done
    say "all users can read the installed files, $(cat "$folder/found")"
else
    [ "${MEDIACACHE_REQUIRE_ALL:-}" != 1 ] || fail "$linked is missing, so the installation can't be checked; build first"
    say "skipped the installation: $program isn't in a build folder"
fi

# --- the workflows, the rules

../Scripts/check-workflows.sh
../Scripts/check-swiftly.sh

promtool check rules prometheus/rules.yml >"$folder/rules" || fail "the rules: $(cat "$folder/rules")"
promtool test rules prometheus/rules-test.yml >"$folder/rules" || fail "the rules: $(cat "$folder/rules")"
sed -n 's/.*- alert: //p' prometheus/rules.yml | while read -r alert; do
    grep -qE "alertname[:=] ?\"?$alert\b" prometheus/rules-test.yml || fail "no test fires $alert"
done
say "the rules are valid, and their tests pass"

# --- a server with traffic

checks/media.sh "$folder"

python3 checks/origin.py "$folder" >"$folder/origin" &
processes+=($!)
await 30 "origin" grep -q . "$folder/origin"
origin="http://127.0.0.1:$(cat "$folder/origin")"

"$program" serve --cache "$folder/cache" --port 0 --min-free 1MB \
    --public-path /media --allowed-host cache.example.org --allow-net 127.0.0.0/8 >"$folder/output" 2>"$folder/errors" &
server=$!
processes+=("$server")
await 30 "address" grep -q '^Listening on ' "$folder/output"
address=$(sed -n 's/^Listening on //p' "$folder/output")
mediacache() { "$program" "$@" --cache "$folder/cache"; }

mediacache record "$origin/live.m3u8" --name news --keep 1h --detach >/dev/null
play=$(mediacache url "$origin/film.mp4")
get "$play" -o /dev/null
get "$play" -o /dev/null
mediacache get --quiet "$origin/film.mp4" >/dev/null
curl --silent --max-time 60 -o /dev/null "$(mediacache url "$origin/broken.mp4")"
get "$address/healthz" >/dev/null
key=$(cat "$folder/cache/key")
token=$(mediacache token create --json | sed -n 's/.*"token" : "\([^"]*\)".*/\1/p')
await 30 "recorded segment" get "$address/k/$token/live/news/index.m3u8"

get "$address/metrics" >"$folder/metrics"
promtool check metrics <"$folder/metrics" >"$folder/linted" 2>&1 || fail "/metrics: $(cat "$folder/linted")"
[ ! -s "$folder/linted" ] || fail "/metrics: $(cat "$folder/linted")"
say "/metrics is valid, $(grep -c '^# TYPE' "$folder/metrics") metrics"

# --- the queries of panels and alerts

python3 checks/queries.py names "$folder/metrics" grafana/mediacache.json prometheus/rules.yml ||
    fail "a query uses a metric, label or value that isn't in /metrics"

# The check itself must detect a wrong metric, a wrong label and a wrong value.
for mistake in s/mediacache_cached_bytes/mediacache_cachedbytes/ 's/by (route)/by (path)/' 's/5xx|none/5xx|nothing/' \
    's/by (state)/by (states)/'; do
    sed "$mistake" grafana/mediacache.json >"$folder/wrong.json"
    ! python3 checks/queries.py names "$folder/metrics" "$folder/wrong.json" >/dev/null ||
        fail "queries.py doesn't detect $mistake"
done

port=$(free_port)
cat >"$folder/prometheus.yml" <<YAML
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [$PWD/prometheus/rules.yml]
scrape_configs:
  - {job_name: mediacache, static_configs: [{targets: ["${address#http://}"]}]}
YAML
prometheus --config.file="$folder/prometheus.yml" --storage.tsdb.path="$folder/data" \
    --web.listen-address="127.0.0.1:$port" --log.level=warn 2>"$folder/prometheus" &
processes+=($!)
await 30 "Prometheus" get "http://127.0.0.1:$port/-/ready"
# Generates traffic. Returns whether there are enough samples for rates.
enough() {
    get "$play" -o /dev/null
    get "http://127.0.0.1:$port/api/v1/query?query=count_over_time(up%5B1m%5D)%20%3E%208" | grep -q '"value"'
}
await 30 "ninth scrape" enough
python3 checks/queries.py ask "http://127.0.0.1:$port" grafana/mediacache.json prometheus/rules.yml ||
    fail "a query fails"
rules=$(get "http://127.0.0.1:$port/api/v1/rules?type=alert")
! grep -q '"health":"err"' <<<"$rules" || fail "a rule fails: $rules"

# --- through the reverse proxy

port=$(free_port)
openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=cache.example.org -addext subjectAltName=DNS:cache.example.org \
    -keyout "$folder/privkey.pem" -out "$folder/fullchain.pem" 2>/dev/null
sed -e "s/127.0.0.1:9479/${address#http://}/" -e "s/listen 443 ssl/listen 127.0.0.1:$port ssl/" \
    -e '/listen \[::\]/d' \
    -e "s#/etc/ssl/cache.example.org#$folder#" nginx/mediacache.conf >"$folder/site.conf"
mkdir "$folder/nginx"
cat >"$folder/nginx.conf" <<NGINX
pid $folder/nginx/pid;
events {}
http {
    client_body_temp_path $folder/nginx/body;
    proxy_temp_path $folder/nginx/proxy;
    fastcgi_temp_path $folder/nginx/fastcgi;
    uwsgi_temp_path $folder/nginx/uwsgi;
    scgi_temp_path $folder/nginx/scgi;
    include $folder/site.conf;
}
NGINX
nginx -e "$folder/nginx/errors" -c "$folder/nginx.conf" -g 'daemon off; master_process off;' &
processes+=($!)
outside="https://cache.example.org:$port/media"
proxied() { curl --silent --max-time 60 --cacert "$folder/fullchain.pem" --resolve "cache.example.org:$port:127.0.0.1" "$@"; }
status() { proxied -o /dev/null -w '%{http_code}' "$@"; }
await 30 "nginx" proxied --fail "$outside/healthz"
asset=$(proxied -H "Authorization: Bearer $key" "$outside/api/v1/assets" | sed -E 's/.*"id":"([a-z0-9]+)".*/\1/')

expect() { [ "$2" = "$3" ] || fail "through nginx, $1: got $2, expected $3"; }
expect "the page" "$(status "$outside/")" 200
expect "the API without the key" "$(status "$outside/api/v1/usage")" 401
expect "/metrics" "$(status "$outside/metrics")" 404
proxied "$outside/play/$token/${origin/:\/\//\/}/film.mp4" | cmp - "$folder/film.mp4" || fail "through nginx, the film differs"
expect "a range" "$(proxied -r 100-199 "$outside/play/$token/${origin/:\/\//\/}/film.mp4" | wc -c)" 100
expect "the library without a token" "$(status "$outside/library/$asset/file.mp4")" 403
expect "the library with the key in the path" "$(status "$outside/k/$key/library/$asset/file.mp4")" 403
expect "the library with a token" "$(status "$outside/k/$token/library/$asset/file.mp4")" 200
grep -q 'a%2Fb%20c' <<<"$(proxied "$outside/play/$token/${origin/:\/\//\/}/a%2Fb%20c")" || fail "through nginx, an encoded path differs"
# A client that claims to be local isn't treated as local.
library="/media/library/$asset/file.mp4"
expect "the library by an absolute target" \
    "$(status --request-target "https://cache.example.org:$port$library" "$outside/")" 403
for field in 'X-Forwarded-For: 127.0.0.1' 'X-Real-IP: 127.0.0.1' 'Forwarded: for=127.0.0.1;host=localhost' \
    'X-Forwarded-Host: localhost' 'Via: 1.1 localhost' 'X-Forwarded-For;' 'Forwarded;'; do
    expect "the library with $field" "$(status -H "$field" "$outside/library/$asset/file.mp4")" 403
done
# nginx refuses requests for other host names.
for host in localhost 127.0.0.1 "127.0.0.1:${address##*:}" '[::1]' localhost. LOCALHOST other.example; do
    expect "Host: $host" "$(status -H "Host: $host" "$outside/healthz")" 421
    expect "the library with Host: $host" "$(status -H "Host: $host" "$outside/library/$asset/file.mp4")" 421
    expect "an absolute target at $host" \
        "$(status --request-target "http://$host/media/healthz" "$outside/healthz")" 421
done
# The server itself treats no client as local and refuses contradictory host names, in case a proxy forwards the
# client's fields.
straight() { curl --silent --max-time 60 -o /dev/null -w '%{http_code}' "$@"; }
expect "the server as localhost" "$(straight "$address/library/$asset/file.mp4")" 403
expect "the server with two hosts" \
    "$(straight -H 'Host: localhost' --request-target http://cache.example.org/healthz "$address/")" 400
# One client can't use up all connections.
read -r refused other < <(python3 checks/connections.py "$port" "$folder/fullchain.pem" 80)
expect "requests of one client beyond its limit" "$refused" 16
expect "another client meanwhile" "$other" 200
# Events arrive while the response is in progress.
proxied --no-buffer --max-time 120 -H "Authorization: Bearer $key" "$outside/api/v1/events" >"$folder/events" &
watcher=$!
await 30 "first bytes of the events" grep -q '^: events' "$folder/events"
mediacache get --quiet "$origin/film.mp4?another" >/dev/null
await 30 "event" grep -q '^event: ' "$folder/events"
kill -0 "$watcher" 2>/dev/null || fail "through nginx, the event stream ended before its events arrived"
say "the responses through nginx are correct"

kill -TERM "$server"
wait "$server" || fail "the server exited with $? after SIGTERM"
# The server has ended the event stream.
wait "$watcher" || true
say "all checks passed"
