#!/usr/bin/env bash
# Type-checks the code for Apple's systems on other systems, with warnings as errors: MediaLibrary and
# MediaCacheURLSession once, other code for each of iOS, macOS, tvOS and visionOS. It uses the arguments and modules of
# the debug build, and stubs of Apple's declarations (Stubs), written by hand from the published interfaces. The code
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

# tvOS can't start programs, so only the command and its C target may.
if grep -rnE '\b(posix_spawn|fork|vfork|execve?|system) ?\(|\bProcess\(\)' Sources --include='*.swift' --include='*.c' \
    --exclude-dir=MediaCacheCLI --exclude-dir=CMediaCacheSpawn; then
    echo "a library starts programs, which tvOS doesn't allow; move the code to MediaCacheCLI" >&2
    exit 1
fi

# Loading requests are Sendable, so the compiler can check the adapter's types. Only a subclass of AVURLAsset can't be
# checked.
if grep -rnE '@unchecked +Sendable' Sources/MediaCacheAVFoundation --include='*.swift' |
    grep -v ': AVURLAsset, @unchecked Sendable'; then
    echo "@unchecked Sendable isn't needed in the adapter for AVFoundation; remove it" >&2
    exit 1
fi

modules=$(mktemp -d)
trap 'rm -rf "$modules"' EXIT

# Prints the arguments of a target's compilation, one per line, without those for output files and the list of sources.
arguments() {
    awk -v module="\"-module-name\",\"$1\",\"-emit-dependencies\"" \
        'index($0, "    args: [") == 1 && index($0, module) { print; exit }' "$manifest" \
        | sed -E 's/^ *args: \["//; s/"\]$//; s/","/\n/g' \
        | awk '
            NR == 1 || skip { skip = 0; next }
            /^(-emit-module-path|-output-file-map|-index-store-path|-emit-objc-header-path|-module-name)$/ { skip = 1; next }
            /^(-emit-dependencies|-emit-module|-emit-objc-header|-incremental|-c|-j[0-9]+|@.*)$/ { next }
            /^(-enable-batch-mode|-serialize-diagnostics|-parseable-output)$/ { next }
            { print }'
}

# Copies Swift files into a folder, with each os() condition replaced by that of the stubs, because the compiler
# evaluates os() for Linux: adapted FOLDER FILE…. Prints the paths of the copies, which end with those of the files.
adapted() {
    local folder=$1 file
    shift
    for file in "$@"; do
        mkdir -p "$folder/$(dirname "$file")"
        sed -E 's/\bos\((iOS|macOS|tvOS|visionOS|Linux)\)/STUB_\1/g' "$file" > "$folder/$file"
        echo "$folder/$file"
    done
}

# Compiles files as a module, with the arguments of a target of the build, but against the stubs:
# compile MODULE FOLDER TARGET FILE…. The array "more" contains additional arguments.
more=()
compile() {
    local name=$1 folder=$2 target=$3 options=()
    shift 3
    mapfile -t options < <(arguments "$target")
    [ ${#options[@]} -gt 0 ] || { echo "$manifest has no target $target; build first" >&2; exit 1; }
    "$swiftc" -emit-module -wmo -emit-module-path "$folder/$name.swiftmodule" -module-name "$name" \
        -I "$folder" -I "$modules/shared" "${options[@]}" "${more[@]}" -warnings-as-errors "$@"
}

# Compiles a stub: stub NAME FOLDER SYSTEM.
stub() {
    "$swiftc" -emit-module -emit-module-path "$2/$1.swiftmodule" -I "$2" -parse-as-library \
        -swift-version 6 -D "STUB_$3" -module-name "$1" Stubs/"$1"/*.swift
}

# Checks that a misuse fails to compile with its error; otherwise, a stub differs from the interface:
# misuse FILE FOLDER SYSTEM.
misuse() {
    local file=$1 folder=$2 system=$3 message output
    message=$(sed -n 's,^// error: ,,p' "$file")
    grep -q '^// system: ' "$file" && ! grep -q "^// system: $system\$" "$file" && return
    if output=$(compile Misuse "$folder" MediaCacheAVFoundation "$file" 2>&1); then
        echo "$file compiles for $system, but must fail with: $message" >&2
        exit 1
    elif [ "${output/"$message"/}" = "$output" ]; then
        echo "$file fails for $system, but not with: $message" >&2
        echo "$output" >&2
        exit 1
    fi
}

mapfile -t library < <(find Sources/MediaLibrary -name '*.swift' | sort)
mapfile -t adapter < <(find Sources/MediaCacheAVFoundation -name '*.swift' | sort)
mapfile -t session < <(find Sources/MediaCacheURLSession -name '*.swift' | sort)

mkdir "$modules/shared"
for system in iOS macOS tvOS visionOS; do
    folder=$modules/$system
    mkdir "$folder"
    # Stubs that other stubs import are first.
    for name in AppleFoundation CoreGraphics CoreImage CoreMedia AVFoundation Network UniformTypeIdentifiers SwiftUI AVKit; do
        stub "$name" "$folder" "$system"
    done
    # The compiled files import AppleFoundation, because its declarations are part of Foundation on Apple's systems.
    more=(-D "STUB_$system" -Xfrontend -import-module -Xfrontend AppleFoundation)
    if [ ! -e "$modules/shared/MediaLibrary.swiftmodule" ]; then
        compile MediaLibrary "$folder" MediaLibrary "${library[@]}"
        mv "$folder"/MediaLibrary.* "$modules/shared"
    fi
    mapfile -t copies < <(adapted "$folder/sources" "${adapter[@]}")
    compile MediaCacheAVFoundation "$folder" MediaCacheAVFoundation "${copies[@]}"
    compile BonjourAnnouncement "$folder" MediaCacheServer Sources/MediaCacheServer/Embedding/BonjourAnnouncement.swift
    # With the default settings of new projects of Xcode 26, as in the example's project.
    mapfile -t copies < <(adapted "$folder/sources" Examples/CacheAPlayer/CacheAPlayer/*.swift)
    compile CacheAPlayer "$folder" MediaCacheServer -default-isolation MainActor \
        -enable-upcoming-feature InferIsolatedConformances "${copies[@]}"
    mapfile -t copies < <(adapted "$folder/sources" Examples/PlayerTests/Tests/PlayerTests/*.swift)
    # Without the overlay of Testing for CoreGraphics, which Linux doesn't have.
    compile PlayerTests "$folder" MediaCacheServerTests -Xfrontend -disable-cross-import-overlays "${copies[@]}"
    compile Uses "$folder" MediaCacheAVFoundation Stubs/Uses/*.swift
    for file in Stubs/Misuses/*.swift; do misuse "$file" "$folder" "$system"; done
    echo "type-checked against stubs for $system: MediaCacheAVFoundation, BonjourAnnouncement, CacheAPlayer, PlayerTests"
done

# The module Darwin is in a separate folder, because every target that can import it compiles its code for Apple's
# systems. All files import it, since Foundation on Apple's systems includes the declarations of FoundationNetworking
# and of this stub.
mkdir "$modules/system"
stub Darwin "$modules/system" iOS
more=(-Xfrontend -import-module -Xfrontend Darwin)
compile MediaCacheURLSession "$modules/system" MediaCacheURLSession "${session[@]}"
echo "type-checked against stubs: MediaLibrary, MediaCacheURLSession"
