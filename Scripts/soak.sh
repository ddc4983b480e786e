#!/usr/bin/env bash
# Runs every test at full length, all slices of both sanitizers, and each fuzzer for an hour: a day in total, in
# independent parts. A part that fails doesn't stop the others, but fails the run at its end.
#
#   Scripts/soak.sh [--list] [--again] [PART...]
#
# PART is the name of a part, such as tests:unit or thread:3, or of a group, such as thread; by default, all parts run.
# Parts that have passed at the current commit are left out, so the same command resumes an interrupted run. With
# uncommitted changes, or --again, they run again. --list prints the parts and the commits at which they last passed.
#
# .build-soak contains the log of each part, and the file "passed", with a line for each success: part, commit, date and
# seconds.
set -uo pipefail

cd "$(dirname "$0")/.." || exit
folder=.build-soak
record=$folder/passed
swift=${SWIFT:-swift}
export SWIFT=$swift
# Tests without a required tool or sample fail instead of being skipped.
export MEDIACACHE_REQUIRE_ALL=1

fail() {
    echo "soak: $*" >&2
    exit 2
}

# The fuzzers of a pair run at the same time. The fuzz tests measure the memory of their process, so those of each
# module run in a separate process.
parts=(tests:unit tests:peers tests:alone tests:fuzz-playlists tests:fuzz-media)
slices=$(Scripts/check-sanitizer.sh slices | wc -l)
((slices > 0)) || fail "the slices of the sanitizers can't be listed"
for sanitizer in thread address; do
    for ((slice = 1; slice <= slices; slice++)); do parts+=("$sanitizer:$slice"); done
done
read -ra targets <<<"$(Scripts/fuzz.sh --targets)"
for ((index = 0; index < ${#targets[@]}; index += 2)); do
    parts+=("fuzz:${targets[index]}${targets[index + 1]:+,${targets[index + 1]}}")
done

# Runs a part: part NAME
part() {
    local kind=${1%%:*} name=${1#*:} fuzz_tests='^(HLSTests|MediaContainersTests)\..*FuzzTests'
    case $1 in
        tests:fuzz-playlists) MEDIACACHE_SOAK=1 Scripts/test.sh --no-parallel --filter '^HLSTests\..*FuzzTests' ;;
        tests:fuzz-media) MEDIACACHE_SOAK=1 Scripts/test.sh --no-parallel --filter '^MediaContainersTests\..*FuzzTests' ;;
        tests:*) MEDIACACHE_SOAK=1 make --no-print-directory "test-$name" SWIFT="$swift" SKIP_TESTS="$fuzz_tests" ;;
        thread:* | address:*) Scripts/check-sanitizer.sh "$kind" "$name" ;;
        fuzz:*) IFS=, read -ra targets <<<"$name" && Scripts/fuzz.sh --seconds "${SECONDS_PER_FUZZER:-3600}" "${targets[@]}" ;;
    esac
}

# For the loop below only: it starts this script through step.sh, which measures the part.
if [ "${1:-}" = --part ]; then
    part "$2"
    exit
fi

commit=$(git rev-parse HEAD) || fail "this folder isn't a clone, so parts can't be recorded with their commit"
[ -z "$(git status --porcelain --untracked-files=no)" ] || commit+=-changed

# Returns whether a part has passed at the current commit: has_passed NAME
has_passed() { [[ "$commit" != *-changed ]] && grep -qs "^$1 $commit " "$record"; }

again=false
list=false
selected=()
for argument in "$@"; do
    case $argument in
        --again) again=true ;;
        --list) list=true ;;
        *)
            matching=()
            for name in "${parts[@]}"; do
                [ "$name" != "$argument" ] && [ "${name%%:*}" != "$argument" ] || matching+=("$name")
            done
            [ ${#matching[@]} -gt 0 ] || fail "there is no part $argument; the parts are ${parts[*]}"
            selected+=("${matching[@]}")
            ;;
    esac
done
[ ${#selected[@]} -gt 0 ] || selected=("${parts[@]}")

mkdir -p "$folder"
if $list; then
    for name in "${selected[@]}"; do
        last=$(grep -s "^$name " "$record" | tail -n 1)
        read -r _ at date seconds <<<"$last"
        echo "$name: ${last:+passed at ${at:0:12}${at:40} on $date in $seconds s}"
    done
    exit
fi

trap 'echo "soak: interrupted; the same command resumes"; exit 130' INT TERM
failed=()
passed=0
for name in "${selected[@]}"; do
    if ! $again && has_passed "$name"; then
        echo "soak: $name has passed at this commit"
        continue
    fi
    began=$SECONDS
    log=$folder/${name//:/-}.log
    if Scripts/step.sh "$name" Scripts/soak.sh --part "$name" 2>&1 | tee -i "$log"; then
        echo "$name $commit $(date +%F) $((SECONDS - began))" >>"$record"
        passed=$((passed + 1))
    else
        failed+=("$name")
    fi
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "soak: failed: ${failed[*]}; their logs are in $folder" >&2
    exit 1
fi
echo "soak: passed, $passed of ${#selected[@]} selected parts now, the others before at this commit"
