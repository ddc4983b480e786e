#!/usr/bin/env bash
# Checks `make demo` and `make setup` on a system without Swift: the question, the installation with swiftly, and the
# errors. A local server provides an archive with a script in place of swiftly, which accepts the options of swiftly 1.1
# and installs a script in place of Swift. Nothing is built, and only temporary folders are changed.
set -euo pipefail

cd "$(dirname "$0")/.."
folder=$(mktemp -d)
home=$folder/home
process=""

finish() {
    [ -z "$process" ] || kill "$process" 2>/dev/null || true
    rm -rf "$folder"
}
trap finish EXIT

fail() {
    echo "check-swiftly: $*" >&2
    [ ! -s "$folder/output" ] || sed 's/^/    /' "$folder/output" >&2
    exit 1
}

say() { echo "check-swiftly: $*"; }

if [ "$(uname -s)" != Linux ]; then
    say "not needed on macOS, where Xcode contains Swift"
    exit 0
fi

# --- the stand-ins

mkdir "$folder/swiftly" "$folder/programs"
cat >"$folder/swiftly/swiftly" <<'SWIFTLY'
#!/bin/sh
set -eu
bin=${SWIFTLY_BIN_DIR:-$HOME/.local/share/swiftly/bin}
echo "swiftly $*" >>"$HOME/calls"
command=$1
shift
case $command in
    init)
        [ "$*" = "--assume-yes --skip-install --quiet-shell-followup" ] || { echo "Unknown option in $*" >&2; exit 64; }
        mkdir -p "$bin"
        cp "$0" "$bin/swiftly"
        ;;
    install)
        version=""
        use=false
        for argument in "$@"; do
            case $argument in
                --assume-yes) ;;
                --use) use=true ;;
                --post-install-file=*) echo 'echo packages >>"$HOME/calls"' >"${argument#*=}" ;;
                --*) echo "Unknown option $argument" >&2; exit 64 ;;
                *) version=$argument ;;
            esac
        done
        [ ! -e "$HOME/offline" ] || { echo "Error: the toolchain couldn't be downloaded" >&2; exit 1; }
        [ -n "$version" ] && $use || { echo "Error: no version, or no --use" >&2; exit 64; }
        cp "$HOME/../swift" "$bin/swift"
        ;;
    *) exit 64 ;;
esac
SWIFTLY
cat >"$folder/swift" <<'SWIFT'
#!/bin/sh
echo "swift $*" >>"$HOME/calls"
case $* in
    --version) echo "Swift version 6.3" ;;
    *--show-bin-path) echo "$HOME/.." ;;
    build*) echo "[1/2] Compiling MediaCache"; echo "[2/2] Linking mediacache" ;;
    *) exit 64 ;;
esac
SWIFT
printf '#!/bin/sh\necho "demo is running: $*"\nexit 130\n' >"$folder/mediacache"
chmod +x "$folder/swiftly/swiftly" "$folder/swift" "$folder/mediacache"
archive=swiftly-$(uname -m).tar.gz
tar -C "$folder/swiftly" -czf "$folder/$archive" swiftly

# The packages that the build requires aren't under test, so dpkg reports each as installed and apt does nothing.
printf '#!/bin/sh\necho installed\n' >"$folder/programs/dpkg-query"
printf '#!/bin/sh\n' >"$folder/programs/apt-get"
printf '#!/bin/sh\nexec "$@"\n' >"$folder/programs/sudo"
chmod +x "$folder/programs"/*
path=$folder/programs:/usr/local/bin:/usr/bin:/bin
# If one of these folders contains a swift command, a folder with links to the other commands in /bin and /usr/bin
# replaces all three.
for place in /usr/local/bin /usr/bin /bin; do
    if [ -x "$place/swift" ]; then
        path=$folder/programs:$folder/system
        mkdir -p "$folder/system"
        for program in /bin/* /usr/bin/*; do
            case ${program##*/} in
                swift*) ;;
                *) ln -sf "$program" "$folder/system/" ;;
            esac
        done
        break
    fi
done

python3 -u - "$folder" >"$folder/server" 2>"$folder/requests" <<'SERVER' &
import functools
import http.server
import sys

handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.HTTPServer(("127.0.0.1", 0), handler)
print(server.server_port)
server.serve_forever()
SERVER
process=$!
for ((tries = 0; tries < 100; tries++)); do [ ! -s "$folder/server" ] || break; sleep 0.1; done
port=$(cat "$folder/server")
[ -n "$port" ] || fail "the server didn't start"

# Runs a command for a new user: new COMMAND... The output is in the file "output", and the exit status in `status`.
new() {
    rm -rf "$home"
    mkdir "$home"
    again "$@"
}

again() {
    status=0
    env -i PATH="$path" HOME="$home" LANG=C.UTF-8 SWIFTLY_SOURCE="http://127.0.0.1:$port" \
        "$@" >"$folder/output" 2>&1 </dev/null || status=$?
}

# Runs a command for a new user on a terminal, and answers its question: on_terminal ANSWER COMMAND...
on_terminal() {
    local answer=$1
    shift
    rm -rf "$home"
    mkdir "$home"
    status=0
    env -i PATH="$path" HOME="$home" LANG=C.UTF-8 TERM=xterm SWIFTLY_SOURCE="http://127.0.0.1:$port" \
        python3 - "$answer" "$@" >"$folder/output" 2>&1 <<'TERMINAL' || status=$?
import os
import pty
import sys

answered = False


def read(descriptor):
    global answered
    data = os.read(descriptor, 65536)
    if b"[y/N]" in data and not answered:
        answered = True
        os.write(descriptor, sys.argv[1].encode() + b"\n")
    return data


sys.stdin = open(os.devnull)
null = os.open(os.devnull, os.O_RDONLY)
os.dup2(null, 0)
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[2:], read)))
TERMINAL
}

says() { grep -qF -- "$1" "$folder/output" || fail "the output lacks: $1"; }

# --- without a terminal

for target in demo test setup; do
    new make "$target"
    [ "$status" != 0 ] || fail "make $target succeeded without Swift"
    says "no swift command"
    says "YES=1"
    [ "$(grep -c '^setup: ' "$folder/output")" = 1 ] || fail "make $target says more than one line"
    [ ! -e "$home/calls" ] || fail "make $target called swiftly without permission"
done
! grep -q GET "$folder/requests" || fail "something was downloaded without permission"
say "without Swift and without a terminal, make says so in one line and installs nothing"

new make demo YES=1 ARGS="--port 9000"
[ "$status" = 0 ] || fail "make demo YES=1 exited with $status"
[ -e .build/release/mediacache ] || says "building MediaCache; the first build takes"
says "demo is running: demo --port 9000"
! grep -q '\[1/2\]' "$folder/output" || fail "the build's progress is printed without a terminal"
grep -qx packages "$home/calls" || fail "the packages that the toolchain needs weren't installed"
again make demo
says "demo is running"
[ "$(grep -c '^swiftly init' "$home/calls")" = 1 ] || fail "the second make demo installed Swift again"
say "YES=1 installs Swift, and the same make command uses it"

# --- on a terminal

on_terminal n make demo
[ "$status" != 0 ] || fail "make demo succeeded after the answer n"
says "[y/N]"
says "nothing was installed"
[ ! -e "$home/calls" ] || fail "swiftly was called after the answer n"
on_terminal y make demo
[ "$status" = 0 ] || fail "make demo on a terminal exited with $status after the answer y"
says "[1/2] Compiling MediaCache"
says "demo is running"
say "on a terminal, make asks, and the build shows its progress"

# --- errors

new sh -c "touch \"\$HOME/offline\"; YES=1 make setup"
[ "$status" != 0 ] || fail "a failed installation of the toolchain isn't reported"
says "swiftly couldn't install Swift"
mv "$folder/$archive" "$folder/moved"
new make setup YES=1
[ "$status" != 0 ] || fail "a failed download isn't reported"
says "couldn't be downloaded"
echo "not an archive" >"$folder/$archive"
new make setup YES=1
[ "$status" != 0 ] || fail "a damaged archive isn't reported"
says "isn't an archive"
new make demo SWIFT=/nowhere/swift YES=1
[ "$status" != 0 ] || fail "a wrong SWIFT isn't reported"
says "no command /nowhere/swift"
say "errors say what failed"

# --- an installed build

new make demo MEDIACACHE_BIN="$folder/mediacache" ARGS=--reset
[ "$status" = 0 ] || fail "make demo MEDIACACHE_BIN=… exited with $status"
says "demo is running: demo --reset"
[ ! -e "$home/calls" ] || fail "make demo MEDIACACHE_BIN=… used swiftly or Swift"
new make demo MEDIACACHE_BIN="$folder/nowhere"
[ "$status" != 0 ] || fail "a wrong MEDIACACHE_BIN isn't reported"
says "isn't an executable file"
say "MEDIACACHE_BIN starts the demo without Swift"
