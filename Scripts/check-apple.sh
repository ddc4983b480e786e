#!/usr/bin/env bash
# Type-checks what is written for Apple's systems where there are none: against stubs of the declarations that it uses
# (Stubs), with the arguments and the modules of the debug build, and warnings as errors. It proves that the code fits the
# stubs, and the stubs are written by hand from Apple's published interfaces; nothing of it runs.
set -euo pipefail

cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
swiftc=$(dirname "$(command -v "$swift")")/swiftc
manifest=.build/debug.yaml

if [ "$(uname -s)" = Darwin ]; then
    echo "Apple's own modules are here: building checks it"
    exit 0
fi
[ -e "$manifest" ] || { echo "build first: $manifest isn't here" >&2; exit 1; }

modules=$(mktemp -d)
trap 'rm -rf "$modules"' EXIT

# The arguments of a target's compilation, one in a line, without those that say what is written where.
arguments() {
    awk -v module="\"-module-name\",\"$1\",\"-emit-dependencies\"" \
        'index($0, "    args: [") == 1 && index($0, module) { print; exit }' "$manifest" \
        | sed -E 's/^ *args: \["//; s/"\]$//; s/","/\n/g' \
        | awk '
            NR == 1 || skip { skip = 0; next }
            /^(-emit-module-path|-output-file-map|-index-store-path|-emit-objc-header-path|-module-name)$/ { skip = 1; next }
            /^(-emit-dependencies|-emit-module|-emit-objc-header|-incremental|-c|-j[0-9]+)$/ { next }
            /^(-enable-batch-mode|-serialize-diagnostics|-parseable-output)$/ { next }
            { print }'
}

# Compiles a module as the build does, but with the stubs in reach: check NAME [TARGET FILE…], by the arguments of a target
# whose sources FILEs stand in for. What the array "more" has is passed on.
more=()
check() {
    local name=$1 target=${2:-$1} line compile=()
    shift
    [ $# = 0 ] || shift
    while IFS= read -r line; do
        if [ $# = 0 ] || [ "${line#@}" = "$line" ]; then compile+=("$line"); fi
    done < <(arguments "$target")
    [ ${#compile[@]} -gt 0 ] || { echo "$manifest doesn't have $target; build first" >&2; exit 1; }
    "$swiftc" -emit-module -wmo -emit-module-path "$modules/$name.swiftmodule" -module-name "$name" \
        -I "$modules" "${compile[@]}" "${more[@]}" -warnings-as-errors "$@"
    echo "type-checked against stubs: $name"
}

# Makes a stub: stub NAME FOLDER.
stub() {
    "$swiftc" -emit-module -emit-module-path "$2/$1.swiftmodule" -I "$modules" -parse-as-library \
        -swift-version 6 -module-name "$1" Stubs/"$1"/*.swift
}

# In the order in which they import each other.
for name in CoreGraphics CoreImage CoreMedia AVFoundation Network UniformTypeIdentifiers; do stub "$name" "$modules"; done
check MediaLibrary
check MediaCacheAVFoundation
check CacheAPlayer MediaCacheServer Examples/CacheAPlayer/*.swift

# Apart: where there is a module Darwin, code for Apple's systems is what's compiled. Foundation has there what
# FoundationNetworking and the stub have here, so that every file imports it.
mkdir "$modules/system"
stub Darwin "$modules/system"
more=(-I "$modules/system" -Xfrontend -import-module -Xfrontend Darwin)
check MediaCacheURLSession
