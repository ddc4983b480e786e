#!/usr/bin/env bash
# Runs the unit tests under a sanitizer, in slices of a few minutes. A slice that fails, or doesn't end within its time
# limit, fails the check.
#
#   Scripts/check-sanitizer.sh thread|address [SLICE...]
#   Scripts/check-sanitizer.sh commit
#
# SLICE is a number; by default, all slices run. `commit` runs one slice of one sanitizer, which the hash of the current
# commit selects, so that successive commits cover all of them. LIMIT sets the time limit of a slice in seconds.
set -euo pipefail

cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
limit=${LIMIT:-900}

# The tests of each slice, as regular expressions of their names. Together they are the tests of the libraries and of
# the server.
slices=(
    '^(HLSTests|MediaContainersTests|MediaLibraryTests\.[^A-LR])'
    '^MediaCacheTests\.'
    '^MediaLibraryTests\.[A-L]'
    '^MediaLibraryTests\.R'
    '^MediaCacheServerTests\.'
)
# Tests that measure time, which sanitizers multiply, and simulations of weeks, whose code other tests run as well.
skipped='\.(OriginContractTests|EmbeddedServerTests|ConnectionDeadlineTests|CatalogScaleTests|LongRecordingTests)'

usage() {
    echo "usage: Scripts/check-sanitizer.sh thread|address [SLICE...], or commit; there are ${#slices[@]} slices" >&2
    exit 2
}

sanitizer=${1:-}
shift || usage
numbers=("$@")
if [ "$sanitizer" = commit ]; then
    hash=$(git rev-parse --short=7 HEAD)
    number=$((16#$hash % (2 * ${#slices[@]})))
    sanitizers=(thread address)
    sanitizer=${sanitizers[number % 2]}
    numbers=($((number / 2 + 1)))
fi
[ ${#numbers[@]} -gt 0 ] || read -ra numbers <<<"$(seq -s ' ' ${#slices[@]})"
for number in "${numbers[@]}"; do
    [[ "$number" =~ ^[1-9]$ ]] || usage
    ((number <= ${#slices[@]})) || usage
done

options=(--sanitize="$sanitizer" --scratch-path ".build-$sanitizer")
case $sanitizer in
    thread)
        # Selects a mutex that ThreadSanitizer supports (Sources/MediaCache/Store/InstrumentedMutex.swift).
        options+=(-Xswiftc -DMEDIACACHE_TSAN)
        export TSAN_OPTIONS="suppressions=$PWD/Scripts/races-not-ours.txt"
        ;;
    address) export LSAN_OPTIONS="suppressions=$PWD/Scripts/leaks-not-ours.txt" ;;
    *) usage ;;
esac

"$swift" build --build-tests "${options[@]}"
for number in "${numbers[@]}"; do
    filter=${slices[number - 1]}
    name="${sanitizer^}Sanitizer, slice $number of ${#slices[@]}: $filter"
    status=0
    # Leaks are detected in the tests of the engine. Those of other modules end while tasks that refer to each other are
    # suspended.
    leaks=0
    [[ $filter != *MediaCacheTests* ]] || leaks=1
    export ASAN_OPTIONS="suppressions=$PWD/Scripts/overflows-not-ours.txt:detect_leaks=$leaks"
    Scripts/step.sh "$name" timeout --foreground --kill-after=20 "$limit" Scripts/test.sh --skip-build "${options[@]}" \
        --filter "$filter" --skip "$skipped" || status=$?
    if [ "$status" = 124 ]; then
        echo "check-sanitizer: $name didn't end within $limit s" >&2
    fi
    [ "$status" = 0 ] || exit "$status"
done
