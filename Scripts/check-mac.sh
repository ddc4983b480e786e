#!/usr/bin/env bash
# Verifies the code for Apple's systems on a Mac with Xcode 26: builds all products and the example for each platform,
# runs the tests on macOS, and the tests with Apple's player on macOS and in an iOS simulator. The article "Needs a Mac"
# of MediaCacheAVFoundation describes what remains to be verified by hand.
#
# Tests that need a program, sample or mount that a Mac lacks are skipped, unlike on Linux, where .ci/run sets
# MEDIACACHE_REQUIRE_ALL=1. The last lines are the numbers of skipped tests, with the missing prerequisites.
#
# CHECKS selects checks by name, PLATFORMS the platforms of the products:
#
#   CHECKS="products example" PLATFORMS=tvOS Scripts/check-mac.sh
set -uo pipefail

cd "$(dirname "$0")/.." || exit
[ "$(uname -s)" = Darwin ] || { echo "this needs a Mac; on Linux, run Scripts/check-apple.sh" >&2; exit 1; }

checks=${CHECKS:-macos products example player-macos player-ios documentation background}
read -ra platforms <<<"${PLATFORMS:-iOS tvOS visionOS}"
# Independent of the machine's signing identities, and without questions about macros and plugins.
options=(-quiet -derivedDataPath .build/xcode -skipMacroValidation -skipPackagePluginValidation ARCHS=arm64
    CODE_SIGNING_ALLOWED=NO)
failed=()
# Scripts/test.sh writes the numbers of skipped tests to this file.
MEDIACACHE_TIMES=$(mktemp)
export MEDIACACHE_TIMES
trap 'rm -f "$MEDIACACHE_TIMES"' EXIT

# Runs one check and records its failure: run NAME COMMAND….
run() {
    local name=$1
    shift
    echo "== $name: $*"
    "$@" || failed+=("$name")
}

# Prints the names of the library products.
libraries() { swift package describe --type json | jq -r '.products[] | select(.type.library) | .name'; }

macos() {
    run "build for macOS" make build-strict
    run "tests on macOS" make test-swift SKIP_TESTS='^MediaCache(AVFoundation|URLSession)Tests\.'
    run "tests of Apple's modules" Scripts/test.sh --filter '^MediaCache(AVFoundation|URLSession)Tests\.' \
        --skip BackgroundTransfersTests
}

products() {
    local platform product
    for platform in "${platforms[@]}"; do
        # The SDKs of these platforms don't contain libcurl.
        for product in $(libraries | grep -vx MediaCacheCurl); do
            run "$product for $platform" xcodebuild build -scheme "$product" \
                -destination "generic/platform=$platform Simulator" "${options[@]}"
        done
    done
}

example() {
    for platform in "iOS Simulator" "tvOS Simulator" "visionOS Simulator" macOS; do
        run "example for $platform" xcodebuild build -scheme CacheAPlayer \
            -project Examples/CacheAPlayer/CacheAPlayer.xcodeproj -destination "generic/platform=$platform" \
            "${options[@]}"
    done
}

player-macos() { run "player on macOS" Scripts/test.sh --package-path Examples/PlayerTests; }

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
    local product
    for product in $(libraries); do
        run "documentation of $product" xcodebuild docbuild -scheme "$product" -destination generic/platform=macOS \
            "${options[@]}"
        # A missing archive isn't an error of xcodebuild.
        find .build/xcode -name "$product.doccarchive" -print -quit | grep -q . || failed+=("archive of $product")
    done
}

# Background sessions depend on the system's scheduling. A failure is reported, but doesn't make this script fail.
background() {
    Scripts/test.sh --filter BackgroundTransfersTests || echo "BackgroundTransfersTests failed (not blocking)"
}

for check in $checks; do
    case $check in
    macos | products | example | player-macos | player-ios | documentation | background) "$check" ;;
    *) echo "there is no check named $check" >&2; exit 1 ;;
    esac
done

grep -E 'skipped tests: ' "$MEDIACACHE_TIMES" || echo "no test was skipped"
if [ ${#failed[@]} -gt 0 ]; then
    printf 'failed: %s\n' "${failed[@]}" >&2
    exit 1
fi
echo "all checks passed: $checks"
