#!/usr/bin/env bash
# Checks what Packaging holds: the unit of systemd, the Dockerfile, Prometheus' rules and Grafana's dashboard, the last two
# against what a running server says, and nginx's configuration by asking through it.
#
#   Scripts/check-packaging.sh PATH-OF-MEDIACACHE
#
# Wants python3, ffmpeg, curl, openssl, nginx, prometheus and promtool. systemd-analyze is used where it is,
# and it's said where it isn't. Ports are picked by the system, files are temporary, and
# only the processes started here are ended.
set -euo pipefail

program=$(realpath "$1")
PATH=$PATH:/usr/sbin
cd "$(dirname "$0")/../Packaging"
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

# Whether a program is here that can be done without.
has() {
    command -v "$1" >/dev/null 2>&1 && return
    [ "${MEDIACACHE_REQUIRE_ALL:-}" != 1 ] || fail "$1 is missing, and MEDIACACHE_REQUIRE_ALL=1 lets no check be skipped"
    say "$1 isn't here, so $2 wasn't checked"
    return 1
}

# Waits until a command works.
await() {
    local what=$1 tries
    shift
    for ((tries = 0; tries < 150; tries++)); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.2
    done
    fail "no $what within 30 s"
}

get() { curl --silent --show-error --fail --max-time 60 "$@"; }

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# --- what stands in files

if has systemd-analyze "the unit of systemd"; then
    # The program has to be there for it, and neither /bin/kill nor the manual page is what is checked.
    sed -e "s#/usr/bin/mediacache#$program#" -e '/^Documentation=/d' -e "s#/bin/kill#$(command -v kill || echo /bin/kill)#" \
        systemd/mediacache.service >"$folder/mediacache.service"
    found=$(systemd-analyze verify "$folder/mediacache.service" 2>&1) || fail "the unit: $found"
    [ -z "$found" ] || fail "the unit: $found"
    # 10 is no protection at all.
    systemd-analyze security --offline=true --threshold=20 "$folder/mediacache.service" >"$folder/security" ||
        fail "the unit leaves more open than it did: $(tail -n 1 "$folder/security")"
    say "the unit of systemd is right: $(sed -n 's/.*Overall exposure level[^:]*: //p' "$folder/security")"
fi

"$linters/hadolint" docker/Dockerfile
say "the Dockerfile is right"

promtool check rules prometheus/rules.yml >"$folder/rules" || fail "the rules: $(cat "$folder/rules")"
promtool test rules prometheus/rules-test.yml >"$folder/rules" || fail "the rules: $(cat "$folder/rules")"
sed -n 's/.*- alert: //p' prometheus/rules.yml | while read -r alert; do
    grep -qE "alertname[:=] ?\"?$alert\b" prometheus/rules-test.yml || fail "no test has $alert fire"
done
say "the rules are right, and each fires where it should"

# --- a server with something to do

ffmpeg -nostdin -loglevel error -f lavfi -i testsrc2=duration=12:size=640x360:rate=25 -f lavfi -i sine=duration=12 \
    -c:v libx264 -preset ultrafast -b:v 4M -g 25 -c:a aac -movflags +faststart "$folder/film.mp4"
ffmpeg -nostdin -loglevel error -i "$folder/film.mp4" -c copy -f segment -segment_time 1 -reset_timestamps 1 \
    "$folder/segment-%03d.ts"

python3 checks/origin.py "$folder" >"$folder/origin" &
processes+=($!)
await "origin" grep -q . "$folder/origin"
origin="http://127.0.0.1:$(cat "$folder/origin")"

"$program" serve --cache "$folder/cache" --port 0 --min-free 1MB \
    --public-path /media --allowed-host cache.example.org --allow-net 127.0.0.0/8 >"$folder/output" 2>"$folder/errors" &
server=$!
processes+=("$server")
await "address" grep -q '^Listening on ' "$folder/output"
address=$(sed -n 's/^Listening on //p' "$folder/output")
mediacache() { "$program" "$@" --cache "$folder/cache"; }

mediacache record "$origin/live.m3u8" --name news --keep 1h --detach >/dev/null
# Straight from the server, as the proxy asks it.
url() { mediacache url "$1" | sed 's#/media/play/#/play/#'; }
play=$(url "$origin/film.mp4")
get "$play" -o /dev/null
get "$play" -o /dev/null
mediacache get --quiet "$origin/film.mp4" >/dev/null
curl --silent --max-time 60 -o /dev/null "$(url "$origin/broken.mp4")"
get "$address/healthz" >/dev/null
key=$(cat "$folder/cache/key")
token=$(mediacache token create --json | sed -n 's/.*"token" : "\([^"]*\)".*/\1/p')
await "recorded segment" get "$address/k/$token/live/news/index.m3u8"

get "$address/metrics" >"$folder/metrics"
promtool check metrics <"$folder/metrics" >"$folder/linted" 2>&1 || fail "/metrics: $(cat "$folder/linted")"
[ ! -s "$folder/linted" ] || fail "/metrics: $(cat "$folder/linted")"
say "/metrics is in order, $(grep -c '^# TYPE' "$folder/metrics") metrics"

# --- what the panels and the alerts ask

python3 checks/queries.py names "$folder/metrics" grafana/mediacache.json prometheus/rules.yml ||
    fail "a query names what isn't in /metrics"

# What the check itself is worth: it has to see a wrong metric, a wrong label and a wrong value.
for mistake in s/mediacache_kept_bytes/mediacache_keptbytes/ 's/by (route)/by (path)/' 's/5xx|none/5xx|nothing/' \
    's/by (state)/by (states)/'; do
    sed "$mistake" grafana/mediacache.json >"$folder/wrong.json"
    ! python3 checks/queries.py names "$folder/metrics" "$folder/wrong.json" >/dev/null ||
        fail "the check of queries doesn't see $mistake"
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
await "Prometheus" get "http://127.0.0.1:$port/-/ready"
# Plays on until there is enough to make rates of.
enough() {
    get "$play" -o /dev/null
    get "http://127.0.0.1:$port/api/v1/query?query=count_over_time(up%5B1m%5D)%20%3E%208" | grep -q '"value"'
}
await "eight scrapes" enough
python3 checks/queries.py ask "http://127.0.0.1:$port" grafana/mediacache.json prometheus/rules.yml ||
    fail "a query doesn't work"
rules=$(get "http://127.0.0.1:$port/api/v1/rules?type=alert")
! grep -q '"health":"err"' <<<"$rules" || fail "a rule doesn't work: $rules"

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
await "nginx" proxied --fail "$outside/healthz"
asset=$(proxied -H "Authorization: Bearer $key" "$outside/api/v1/assets" | sed -E 's/.*"id":"([a-z0-9]+)".*/\1/')

expect() { [ "$2" = "$3" ] || fail "through nginx, $1: $2 instead of $3"; }
expect "the page" "$(status "$outside/")" 200
expect "the API without the key" "$(status "$outside/api/v1/usage")" 401
expect "/metrics" "$(status "$outside/metrics")" 404
proxied "$outside/play/$token/${origin/:\/\//\/}/film.mp4" | cmp - "$folder/film.mp4" || fail "through nginx, the film is another"
expect "a range" "$(proxied -r 100-199 "$outside/play/$token/${origin/:\/\//\/}/film.mp4" | wc -c)" 100
expect "what is kept without a token" "$(status "$outside/library/$asset/file.mp4")" 403
expect "what is kept with the key in the path" "$(status "$outside/k/$key/library/$asset/file.mp4")" 403
expect "what is kept with a token" "$(status "$outside/k/$token/library/$asset/file.mp4")" 200
grep -q 'a%2Fb%20c' <<<"$(proxied "$outside/play/$token/${origin/:\/\//\/}/a%2Fb%20c")" || fail "through nginx, a path is another"
# Whatever a client claims to be, it is none of this machine.
library="/media/library/$asset/file.mp4"
expect "what is kept, asked for by its absolute URL" \
    "$(status --request-target "https://cache.example.org:$port$library" "$outside/")" 403
for field in 'X-Forwarded-For: 127.0.0.1' 'X-Real-IP: 127.0.0.1' 'Forwarded: for=127.0.0.1;host=localhost' \
    'X-Forwarded-Host: localhost' 'Via: 1.1 localhost' 'X-Forwarded-For;' 'Forwarded;'; do
    expect "what is kept, with $field" "$(status -H "$field" "$outside/library/$asset/file.mp4")" 403
done
# Nor does it reach the server by another name: nginx itself refuses.
for host in localhost 127.0.0.1 "127.0.0.1:${address##*:}" '[::1]' localhost. LOCALHOST other.example; do
    expect "Host: $host" "$(status -H "Host: $host" "$outside/healthz")" 421
    expect "what is kept, with Host: $host" "$(status -H "Host: $host" "$outside/library/$asset/file.mp4")" 421
    expect "an absolute target at $host" \
        "$(status --request-target "http://$host/media/healthz" "$outside/healthz")" 421
done
# The server itself refuses too, where a proxy passes on what its client sent.
straight() { curl --silent --max-time 60 -o /dev/null -w '%{http_code}' "$@"; }
expect "the server, asked as localhost" "$(straight "$address/library/$asset/file.mp4")" 403
expect "the server, with two hosts" \
    "$(straight -H 'Host: localhost' --request-target http://cache.example.org/healthz "$address/")" 400
# One client can't take all connections.
read -r refused other < <(python3 checks/connections.py "$port" "$folder/fullchain.pem" 80)
expect "requests of one client beyond its limit" "$refused" 16
expect "another client meanwhile" "$other" 200
# Events come while the response goes on.
proxied --no-buffer --max-time 10 -H "Authorization: Bearer $key" "$outside/api/v1/events" >"$folder/events" &
watcher=$!
await "first bytes of the events" grep -q '^: events' "$folder/events"
mediacache get --quiet "$origin/film.mp4?another" >/dev/null
await "event" grep -q '^event: ' "$folder/events"
kill -0 "$watcher" 2>/dev/null || fail "through nginx, the events came when they had ended"
wait "$watcher" || true
say "nginx shows it as it is"

kill -TERM "$server"
wait "$server" || fail "the server ended with $? when asked to stop"
say "all is in order"
