#!/usr/bin/env bash
# Starts the demo. Builds the command first, unless MEDIACACHE_BIN names one.
#
#   Scripts/demo.sh [OPTIONS OF THE DEMO...]
#
# On a terminal, SwiftPM shows the progress of the build as [done/total].
set -euo pipefail

say() { echo "demo: $*"; }

fail() {
    echo "demo: $*" >&2
    exit 1
}

if [ -n "${MEDIACACHE_BIN:-}" ]; then
    program=$(command -v "$MEDIACACHE_BIN") || fail "MEDIACACHE_BIN=$MEDIACACHE_BIN isn't an executable file"
else
    cd "$(dirname "$0")/.."
    Scripts/setup.sh build
    swift=${SWIFT:-swift}
    build=("$swift" build -c release --product mediacache)
    # Measured on two idle cores: 5 minutes, 10 on a slow machine.
    cores=$(getconf _NPROCESSORS_ONLN)
    [ -e .build/release/mediacache ] ||
        say "building MediaCache; the first build takes about $((10 / cores + 1)) to $((20 / cores + 1)) minutes with the cores of this machine ($cores)"
    if [ -t 1 ]; then
        "${build[@]}"
    else
        log=$(mktemp)
        "${build[@]}" >"$log" 2>&1 || { cat "$log" >&2 && rm -f "$log" && fail "the build failed"; }
        rm -f "$log"
    fi
    program=$("$swift" build -c release --show-bin-path)/mediacache
fi

# Ctrl-C is for the demo. A second Ctrl-C makes it exit with 130.
trap : INT
"$program" demo "$@" || [ $? -eq 130 ]
