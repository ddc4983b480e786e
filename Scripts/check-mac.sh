#!/usr/bin/env bash
# Verifies the code for Apple's systems on a Mac with Xcode 26: builds all products and the example for each platform,
# runs the tests on macOS, and the tests with Apple's player on macOS and in an iOS simulator. The article "Needs a Mac"
# of MediaCacheAVFoundation describes what remains to be verified by hand.
#
# CHECKS selects checks by name: CHECKS="products example" Scripts/check-mac.sh
set -uo pipefail

cd "$(dirname "$0")/.." || exit
[ "$(uname -s)" = Darwin ] || { echo "this needs a Mac; on Linux, run Scripts/check-apple.sh" >&2; exit 1; }

checks=${CHECKS:-macos products example player-macos player-ios documentation background}
platforms=(iOS tvOS visionOS)
products=(HLS MediaContainers MediaCache MediaLibrary MediaCacheAPI MediaCacheServer MediaCacheURLSession
    MediaCacheAVFoundation MediaCacheTesting)
failed=()

# Runs one check and records its failure: run NAME COMMAND….
run() {
    local name=$1
    shift
    echo "== $name: $*"
    "$@" || failed+=("$name")
}

macos() {
    run "build for macOS" env MEDIACACHE_STRICT=1 swift build --build-tests
    run "tests on macOS" swift test --skip BackgroundTransfersTests
}

products() {
    for platform in "${platforms[@]}"; do
        for product in "${products[@]}"; do
            run "$product for $platform" xcodebuild build -quiet -scheme "$product" \
                -destination "generic/platform=$platform Simulator" -skipMacroValidation
        done
    done
}

example() {
    for platform in "iOS Simulator" "tvOS Simulator" "visionOS Simulator" macOS; do
        run "example for $platform" xcodebuild build -quiet -scheme CacheAPlayer -skipMacroValidation \
            -project Examples/CacheAPlayer/CacheAPlayer.xcodeproj -destination "generic/platform=$platform" \
            CODE_SIGNING_ALLOWED=NO
    done
}

player-macos() { run "player on macOS" swift test --package-path Examples/PlayerTests; }

player-ios() {
    local device
    device=$(xcrun simctl list devices available iPhone | sed -nE 's/.*\(([0-9A-F-]{36})\).*/\1/p' | tail -1)
    [ -n "$device" ] || { echo "no iPhone simulator is available" >&2; failed+=("player on iOS"); return; }
    (
        cd Examples/PlayerTests || exit 1
        # Xcode adds a suffix to the scheme of a package with several products.
        scheme=$(xcodebuild -list 2>/dev/null | sed -nE 's/^ *(player-tests(-Package)?|PlayerTests)$/\1/p' | head -1)
        xcodebuild test -quiet -scheme "${scheme:-player-tests}" -destination "id=$device" -skipMacroValidation
    ) || failed+=("player on iOS")
}

documentation() {
    for product in MediaCache MediaLibrary MediaCacheServer MediaCacheURLSession MediaCacheAVFoundation; do
        run "documentation of $product" xcodebuild docbuild -quiet -scheme "$product" \
            -destination "generic/platform=iOS Simulator" -skipMacroValidation
    done
}

# The system schedules the transfers, so a failure is reported but isn't one of this script.
background() { swift test --filter BackgroundTransfersTests || echo "BackgroundTransfersTests failed (not blocking)"; }

for check in $checks; do
    case $check in
    macos | products | example | player-macos | player-ios | documentation | background) "$check" ;;
    *) echo "there is no check named $check" >&2; exit 1 ;;
    esac
done

if [ ${#failed[@]} -gt 0 ]; then
    printf 'failed: %s\n' "${failed[@]}" >&2
    exit 1
fi
echo "all checks passed: $checks"
