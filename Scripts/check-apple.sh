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
# whose sources FILEs stand in for.
check() {
    local name=$1 target=${2:-$1} line compile=()
    shift
    [ $# = 0 ] || shift
    while IFS= read -r line; do
        if [ $# = 0 ] || [ "${line#@}" = "$line" ]; then compile+=("$line"); fi
    done < <(arguments "$target")
    [ ${#compile[@]} -gt 0 ] || { echo "$manifest doesn't have $target; build first" >&2; exit 1; }
    "$swiftc" -typecheck -module-name "$name" -I "$modules" "${compile[@]}" -warnings-as-errors "$@"
    "$swiftc" -emit-module -emit-module-path "$modules/$name.swiftmodule" -module-name "$name" \
        -I "$modules" "${compile[@]}" -warnings-as-errors "$@"
    echo "type-checked against stubs: $name"
}

# In the order in which they import each other.
for stub in CoreGraphics CoreMedia AVFoundation Network UniformTypeIdentifiers; do
    "$swiftc" -emit-module -emit-module-path "$modules/$stub.swiftmodule" -I "$modules" -parse-as-library \
        -swift-version 6 -module-name "$stub" Stubs/$stub/*.swift
done
check MediaLibrary
check MediaCacheAVFoundation
check CacheAPlayer MediaCacheServer Examples/CacheAPlayer/*.swift
