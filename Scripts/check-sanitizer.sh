#!/usr/bin/env bash
# Runs the unit tests of five modules (`modules`) under a sanitizer, in slices of at most about 180 s on two idle cores.
# A slice that fails, or doesn't end within its time limit, fails the check.
#
#   Scripts/check-sanitizer.sh thread|address [SLICE...]
#   Scripts/check-sanitizer.sh commit [--build]
#   Scripts/check-sanitizer.sh slices
#
# SLICE is a number; by default, all slices run. `commit` runs one of seven groups of slices under one of the two
# sanitizers, for about 150 s. The hash of the current commit selects both, so commits cover all pairs over time.
# `--build` only builds the tests for that sanitizer. `slices` runs no tests: it prints the slices with their numbers of
# suites and tests. All forms first check that each suite of these modules, unless it is skipped, is in exactly one
# slice. LIMIT sets the time limit of a slice in seconds.
set -euo pipefail

cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
limit=${LIMIT:-900}

# The suites of each slice, as extended regular expressions of their names. Together they are the suites of these
# modules, except those of `skipped`. A suite of `apart` or `long` is in no other slice.
modules=(HLSTests MediaContainersTests MediaCacheTests MediaLibraryTests MediaCacheServerTests)
slices=(
    '^HLSTests\.'
    '^MediaContainersTests\..*FuzzTests'
    '^MediaContainersTests\.'
    '^MediaCacheTests\.[A-O]'
    '^MediaCacheTests\.P'
    '^MediaCacheTests\.[Q-Z]'
    '^MediaLibraryTests\.[A-K]'
    '^MediaLibraryTests\.L'
    '^MediaLibraryTests\.[M-Q]'
    '^MediaLibraryTests\.Rec'
    '^MediaLibraryTests\.R([^e]|e[^c])'
    '^MediaLibraryTests\.[S-Z]'
    '^MediaCacheServerTests\.'
    '^MediaCacheServerTests\.(OriginContractTests|EmbeddedServerTests)'
)
# The slices of each group, by their number.
groups=("2 9" "8" "5 1" "13 14" "4 3" "7 11" "6 10 12")
# Suites that use real sockets with short time limits. Their tests therefore run one after the other.
apart='^MediaCacheServerTests\.(OriginContractTests|EmbeddedServerTests)'
# Long suites that use a core until they end. They have a slice of their own, so that they don't prolong another one.
long='^MediaContainersTests\..*FuzzTests'
# Tests of deadlines and of a large catalog, which a sanitizer slows down too much, and the simulation of a week of
# recording, which covers only code that other tests also cover.
skipped='\.(ConnectionDeadlineTests|CatalogScaleTests|LongRecordingTests)'
# Modules without tasks. In the others, tasks that refer to each other and sleep by a manual clock are suspended when
# the tests end.
checked_for_leaks='^\^(HLS|MediaContainers)Tests'

fail() {
    echo "check-sanitizer: $*" >&2
    exit 1
}

usage() {
    echo "usage: Scripts/check-sanitizer.sh thread|address [SLICE...], commit [--build] or slices;" \
        "there are ${#slices[@]} slices" >&2
    exit 2
}

# Prints the regular expression of the tests that a slice leaves to others: left_out SLICE-EXPRESSION
left_out() {
    case $1 in
        "$apart" | "$long") echo "$skipped" ;;
        *) echo "$skipped|$apart|$long" ;;
    esac
}

# Prints the number of tests and the name of each suite, as in "5 HLSTests.TagTests", from the sources.
suites() {
    local module
    for module in "${modules[@]}"; do
        find "Tests/$module" -name '*.swift' -exec awk -v module="$module" '
            FNR == 1 { type = "" }
            match($0, /^ *(@[A-Za-z]+(\(.*\))? )*(package |private |final )*(struct|class|actor|enum|extension) [A-Za-z0-9_]+/) {
                name = substr($0, RSTART, RLENGTH)
                sub(/.* /, "", name)
                # A compilation condition indents a suite. Other indented types are nested.
                if ($0 !~ /^ / || name ~ /Tests$/) type = name
            }
            /^ *@Test/ { tests[type]++ }
            END { for (type in tests) print tests[type], module "." type }' {} +
    done | awk '{ tests[$2] += $1 } END { for (suite in tests) print tests[suite], suite }' | sort -k 2
}

# Checks that each suite is in exactly one slice, or skipped, and each slice in exactly one group. Prints the slices if
# there is an argument.
check_slices() {
    local tests suite slice index found suites_of=() tests_of=()
    while read -r tests suite; do
        found=()
        for index in "${!slices[@]}"; do
            slice=${slices[index]}
            if [[ "$suite" =~ $slice ]] && ! [[ "$suite" =~ $(left_out "$slice") ]]; then
                found+=("$((index + 1))")
                suites_of[index]=$((${suites_of[index]:-0} + 1))
                tests_of[index]=$((${tests_of[index]:-0} + tests))
            fi
        done
        if [[ "$suite" =~ $skipped ]]; then
            [ ${#found[@]} = 0 ] || fail "the skipped suite $suite is in the slice ${found[*]}"
        elif [ ${#found[@]} != 1 ]; then
            fail "the suite $suite is in ${#found[@]} slices: ${found[*]-}; correct the expressions in this script"
        fi
    done < <(suites)
    for index in "${!slices[@]}"; do
        [ "${suites_of[index]:-0}" -gt 0 ] || fail "no suite is in the slice $((index + 1)), ${slices[index]}"
        [ "$(tr ' ' '\n' <<<"${groups[*]}" | grep -cx $((index + 1)))" = 1 ] ||
            fail "the slice $((index + 1)) isn't in exactly one group"
        [ $# = 0 ] || printf '%3d: %3d suites, %4d tests: %s\n' $((index + 1)) "${suites_of[index]}" \
            "${tests_of[index]}" "${slices[index]}"
    done
}

# Runs a command with the time limit. timeout ends the command's whole process group, which isn't this script's, so the
# script forwards signals. It forwards them as SIGINT, the only signal that SwiftPM forwards to the tests, which have
# another group. SwiftPM sends the tests SIGKILL after 30 s.
limited() {
    local status=0
    timeout --signal=INT --kill-after=40 "$limit" "$@" &
    process=$!
    trap 'kill -INT "$process" 2>/dev/null' INT TERM HUP
    # A signal also ends `wait`.
    while wait "$process" || status=$?; do
        kill -0 "$process" 2>/dev/null || break
        status=0
        interrupted=true
    done
    trap - INT TERM HUP
    ! $interrupted || exit 130
    return "$status"
}
process=""
interrupted=false

builds_only=false
sanitizer=${1:-}
shift || usage
numbers=("$@")
case $sanitizer in
    commit)
        [ "${numbers[*]-}" != --build ] || builds_only=true
        hash=$(git rev-parse --short=7 HEAD)
        number=$((16#$hash % (2 * ${#groups[@]})))
        sanitizers=(thread address)
        sanitizer=${sanitizers[number % 2]}
        read -ra numbers <<<"${groups[number / 2]}"
        ;;
    slices)
        check_slices all
        exit
        ;;
esac
[ ${#numbers[@]} -gt 0 ] || read -ra numbers <<<"$(seq -s ' ' ${#slices[@]})"
for number in "${numbers[@]}"; do
    [[ "$number" =~ ^[1-9][0-9]?$ ]] || usage
    ((number <= ${#slices[@]})) || usage
done
check_slices

options=(--sanitize="$sanitizer" --scratch-path ".build-$sanitizer")
# The modules of the slices. The other test targets aren't built (Package.swift).
MEDIACACHE_TEST_TARGETS=$(for number in "${numbers[@]}"; do
    grep -oE '[A-Za-z]+Tests' <<<"${slices[number - 1]}" | head -n 1
done | sort -u | paste -sd ' ' -)
export MEDIACACHE_TEST_TARGETS
# Sanitizers multiply the time of simulated power cuts.
export MEDIACACHE_SEEDS=${MEDIACACHE_SEEDS:-15}
case $sanitizer in
    thread)
        title=ThreadSanitizer
        # Selects a mutex that ThreadSanitizer supports (Sources/MediaCache/Store/InstrumentedMutex.swift).
        options+=(-Xswiftc -DMEDIACACHE_TSAN)
        export TSAN_OPTIONS="suppressions=$PWD/Scripts/races-not-ours.txt"
        ;;
    address)
        title=AddressSanitizer
        export LSAN_OPTIONS="suppressions=$PWD/Scripts/leaks-not-ours.txt"
        ;;
    *) usage ;;
esac

"$swift" build --build-tests "${options[@]}"
! $builds_only || exit 0
for number in "${numbers[@]}"; do
    slice=${slices[number - 1]}
    name="$title, slice $number of ${#slices[@]}: $slice"
    leaks=0
    [[ ! "$slice" =~ $checked_for_leaks ]] || leaks=1
    export ASAN_OPTIONS="suppressions=$PWD/Scripts/overflows-not-ours.txt:detect_leaks=$leaks"
    filter=(--filter "$slice" --skip "$(left_out "$slice")")
    [ "$slice" != "$apart" ] || filter+=(--no-parallel)
    status=0
    limited Scripts/step.sh "$name" Scripts/test.sh --skip-build "${options[@]}" "${filter[@]}" || status=$?
    case $status in
        0) ;;
        124 | 137) fail "$name didn't end within $limit s" ;;
        *) exit "$status" ;;
    esac
done
