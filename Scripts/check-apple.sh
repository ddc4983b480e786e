#!/usr/bin/env bash
# Type-checks the code for Apple's systems on other systems, with warnings as errors. It uses the arguments and modules
# of the debug build, and stubs of Apple's declarations (Stubs), written by hand from the published interfaces. The code
# isn't run.
set -euo pipefail

cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
swiftc=$(dirname "$(command -v "$swift")")/swiftc
manifest=.build/debug.yaml

if [ "$(uname -s)" = Darwin ]; then
    echo "not needed on macOS, where the build uses Apple's own modules"
    exit 0
fi
[ -e "$manifest" ] || { echo "$manifest is missing; build first" >&2; exit 1; }

modules=$(mktemp -d)
trap 'rm -rf "$modules"' EXIT

# Prints the arguments of a target's compilation, one per line, without those for output files.
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

# Compiles a module as the build does, but against the stubs: check NAME [TARGET FILE…]. With FILEs, it compiles these
# files with the arguments of TARGET. The array "more" contains additional arguments.
more=()
check() {
    local name=$1 target=${2:-$1} line compile=()
    shift
    [ $# = 0 ] || shift
    while IFS= read -r line; do
        if [ $# = 0 ] || [ "${line#@}" = "$line" ]; then compile+=("$line"); fi
    done < <(arguments "$target")
    [ ${#compile[@]} -gt 0 ] || { echo "$manifest has no target $target; build first" >&2; exit 1; }
    "$swiftc" -emit-module -wmo -emit-module-path "$modules/$name.swiftmodule" -module-name "$name" \
        -I "$modules" "${compile[@]}" "${more[@]}" -warnings-as-errors "$@"
    echo "type-checked against stubs: $name"
}

# Compiles a stub: stub NAME FOLDER.
stub() {
    "$swiftc" -emit-module -emit-module-path "$2/$1.swiftmodule" -I "$modules" -parse-as-library \
        -swift-version 6 -module-name "$1" Stubs/"$1"/*.swift
}

# Stubs that other stubs import are first.
for name in CoreGraphics CoreImage CoreMedia AVFoundation Network UniformTypeIdentifiers; do stub "$name" "$modules"; done
check MediaLibrary
check MediaCacheAVFoundation
check CacheAPlayer MediaCacheServer Examples/CacheAPlayer/*.swift

# The module Darwin is in a separate folder, because every target that can import it compiles its code for Apple's
# systems. All files import it, since Foundation on Apple's systems includes the declarations of FoundationNetworking
# and of this stub.
mkdir "$modules/system"
stub Darwin "$modules/system"
more=(-I "$modules/system" -Xfrontend -import-module -Xfrontend Darwin)
check MediaCacheURLSession
