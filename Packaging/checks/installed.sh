#!/bin/bash
# Uses the installed command inside a system without Swift. Run by Scripts/check-package.sh in a new root.
#
#   installed.sh ORIGIN    plays, downloads and records from ORIGIN (origin.py), as the user of the service
#   installed.sh kept      checks that the server survived an upgrade, and the cache its restart
set -euo pipefail

folder=/var/lib/mediacache

fail() {
    echo "installed: $*" >&2
    exit 1
}

as_user() { runuser -u mediacache -- env HOME=$folder MEDIACACHE_DIR=$folder "$@"; }

# Starts the server in the background, and waits for its address.
serve() {
    : >/tmp/output
    as_user mediacache serve --min-free 1MB --allow-net 127.0.0.0/8 --port 0 >/tmp/output 2>/tmp/errors &
    local tries
    for ((tries = 0; tries < 100; tries++)); do
        ! grep -q '^Listening on ' /tmp/output || return 0
        sleep 0.1
    done
    cat /tmp/output /tmp/errors >&2
    fail "the server didn't start within 10 s"
}

# Prints the process ID of the server. A minimal system has no pgrep.
server() { grep -lx mediacache /proc/[0-9]*/comm 2>/dev/null | grep -oE '[0-9]+' || true; }

stop() {
    local process tries
    process=$(server)
    [ -n "$process" ] || fail "no server is running"
    kill -TERM "$process"
    for ((tries = 0; tries < 150; tries++)); do
        [ -e "/proc/$process" ] || return 0
        sleep 0.1
    done
    fail "the server didn't stop within 15 s"
}

fetch() { as_user mediacache url "$1" >/tmp/url && /usr/lib/apt/apt-helper download-file "$(cat /tmp/url)" "$2" >/dev/null; }

if [ "$1" = kept ]; then
    as_user mediacache list >/dev/null || fail "the server doesn't respond after the upgrade"
    stop
    serve
    as_user mediacache verify >/dev/null || fail "the cache is damaged"
    as_user mediacache list --json | grep -q film.mp4 || fail "the film is missing after the upgrade"
    mv /tmp/film.mp4 /tmp/film-before.mp4
    fetch "$(cat /tmp/origin)/film.mp4" /tmp/film.mp4
    cmp /tmp/film.mp4 /tmp/film-before.mp4 || fail "the film differs after the upgrade"
    stop
    exit
fi

origin=$1
echo "$origin" >/tmp/origin
mediacache --version >/dev/null
[ "$(stat -c %U $folder 2>/dev/null || echo none)" != root ] || fail "$folder belongs to root"
install -d -o mediacache -g mediacache -m 0700 $folder
serve
fetch "$origin/film.mp4" /tmp/film.mp4
as_user mediacache get --quiet "$origin/film.mp4" -o $folder/copy.mp4
cmp /tmp/film.mp4 $folder/copy.mp4 || fail "the download differs from the film played through the server"
as_user mediacache record "$origin/live.m3u8" --name news --keep 1h --detach >/dev/null
sleep 8
as_user mediacache export news --from -4 --to now -o $folder/clip.mp4 >/dev/null || fail "no export of the recording"
[ "$(stat -c %s $folder/clip.mp4)" -gt 10000 ] || fail "the exported clip is empty"
for path in /usr/share/man/man1/mediacache.1.gz /usr/share/bash-completion/completions/mediacache \
    /usr/lib/systemd/system/mediacache.service /usr/share/doc/mediacache/copyright; do
    # A minimal system may exclude manuals and documents (dpkg's path-exclude).
    [ -e $path ] || grep -qs "path-exclude=/usr/share/\(man\|doc\)" /etc/dpkg/dpkg.cfg.d/* || fail "$path is missing"
done
# The server continues during the upgrade.
