#!/usr/bin/env bash
# Runs the fuzzers (Tests/Fuzzers) under AddressSanitizer. Fails on any finding and prints how to reproduce it.
#
#   Scripts/fuzz.sh [--seconds N] [--jobs N] [--seed N] [TARGET...]
#   Scripts/fuzz.sh --build
#   Scripts/fuzz.sh --targets
#
# --seconds sets the time per target, 30 by default; --jobs the number of targets at a time, 2 by default; --seed the
# seed of libFuzzer, random by default. --build only builds. --targets prints the targets. The fuzzers begin with the project's own seeds,
# small files of the corpora (../shared/corpora), which are read in place, and the inputs of earlier runs. The fuzzers
# write new inputs to .build/fuzz-corpus/TARGET, and inputs with a finding to .build/fuzz-artifacts.
# MEDIACACHE_CORPORA=absent declares that this machine has no corpora.
set -euo pipefail

fail() {
    echo "fuzz: $*" >&2
    exit 1
}

[ "$(uname -s)" = Linux ] || fail "Xcode's toolchain has no libFuzzer; run the fuzzers on Linux"

# The maximum length of a target's inputs in bytes. Long inputs are slow, and short ones reach almost all code.
declare -A lengths=(
    [playlist]=8192 [multivariant]=8192 [transport-stream]=32768 [packed-audio]=16384 [movie]=65536 [webvtt]=4096
    [http-head]=4096 [ranges]=512 [encodings]=4096
)
targets=(playlist multivariant transport-stream packed-audio movie webvtt http-head ranges encodings)

# Prints the files of the corpora for a target, without those that the maximum length would truncate.
seeds() {
    local names
    [ -d "$corpora" ] || return 0
    case $1 in
        playlist | multivariant) names='m3u8' ;;
        transport-stream) names='ts' ;;
        packed-audio) names='aac|adts|ac3|ec3|id3|mp3' ;;
        movie) names='mp4|m4s|m4a|m4v|m4i|cmfv|mov|ismt' ;;
        webvtt) names='vtt' ;;
        *) return 0 ;;
    esac
    find "$corpora" -type f -size "-${lengths[$1]}c" -regextype posix-extended -regex ".*\.($names)" | sort
}

seconds=30
jobs=2
seed=$RANDOM
selected=()
builds_only=false
while (($# > 0)); do
    case $1 in
        --targets)
            echo "${targets[*]}"
            exit
            ;;
        --build)
            builds_only=true
            shift
            ;;
        --seconds | --jobs | --seed)
            [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || fail "$1 requires a positive number"
            declare "${1#--}=$2"
            shift 2
            ;;
        *)
            [ -n "${lengths[$1]:-}" ] || fail "there is no target $1; the targets are ${targets[*]}"
            selected+=("$1")
            shift
            ;;
    esac
done
[ ${#selected[@]} -gt 0 ] || selected=("${targets[@]}")

cd "$(dirname "$0")/.."
corpora=$(realpath -m ../shared/corpora)
if [ "${MEDIACACHE_CORPORA:-}" = absent ]; then
    corpora=/nowhere
    echo "fuzz: the corpora are declared absent (MEDIACACHE_CORPORA=absent), so the fuzzers begin with the project's own seeds"
elif [ ! -d "$corpora" ]; then
    [ "${MEDIACACHE_REQUIRE_ALL:-}" != 1 ] || fail "$corpora is missing, and MEDIACACHE_REQUIRE_ALL=1 requires it; mount it"
    echo "fuzz: $corpora is missing, so the fuzzers begin with the project's own seeds"
fi

export MEDIACACHE_FUZZ=1
# libFuzzer reports crashes. The backtracer of Swift would delay them.
export SWIFT_BACKTRACE=enable=no
export LSAN_OPTIONS=suppressions=$PWD/Scripts/leaks-not-ours.txt
swift=${SWIFT:-swift}
# The options of a release build, because the number of inputs matters. SwiftPM passes the two sanitizers to the Swift
# compiler as separate options, and the compiler uses only the last one. The C compiler receives both correctly. gold
# would warn of each symbol of the sanitizers.
build=("$swift" build -c release --product Fuzzers --scratch-path .build-fuzz --sanitize address --sanitize fuzzer
    -Xswiftc "-sanitize=address,fuzzer" -Xswiftc -enable-testing -Xswiftc -use-ld=lld)
# SwiftPM's order of the two sanitizers is otherwise random, and a different order causes a complete build.
export SWIFT_DETERMINISTIC_HASHING=1
began=$SECONDS
"${build[@]}"
echo "fuzz: built in $((SECONDS - began)) s; the seed is $seed"
! $builds_only || exit 0
fuzzer=$("${build[@]}" --show-bin-path)/Fuzzers
unset SWIFT_DETERMINISTIC_HASHING

artifacts=.build/fuzz-artifacts
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$artifacts"

# Runs a target, with its output in a log, and prints a summary.
run() {
    local target=$1 corpus=.build/fuzz-corpus/$1 log=$folder/$1.log status=0 before
    mkdir -p "$corpus" "$folder/$target"
    MEDIACACHE_FUZZER=$target MEDIACACHE_FUZZ_SEEDS=$folder/$target "$fuzzer" >"$log" 2>&1 || {
        echo "fuzz: $target: the seeds can't be written"
        cat "$log"
        return 1
    }
    { find "$folder/$target" -type f && seeds "$target"; } | paste -sd, >"$folder/$target.seeds"
    before=$(find "$corpus" -type f | wc -l)
    # libFuzzer stops by itself. The limit is for a process that hangs.
    MEDIACACHE_FUZZER=$target timeout -k 5 $((seconds + 120)) "$fuzzer" "$corpus" -seed_inputs="@$folder/$target.seeds" \
        -seed="$seed" -max_total_time="$seconds" -max_len="${lengths[$target]}" -timeout=10 -rss_limit_mb=2048 \
        -artifact_prefix="$artifacts/$target-" -print_final_stats=1 >"$log" 2>&1 || status=$?
    if ((status != 0)) || ! grep -q '^Done [0-9]* runs' "$log"; then
        echo "fuzz: $target: a finding (exit code $status)"
        grep -aE 'Fatal error|SUMMARY|ERROR|WARNING' "$log" | cut -c 1-2000 | sort -u | head -n 20 || true
        tail -n 30 "$log" | cut -c 1-300
        local input
        input=$(sed -n 's/^.*Test unit written to //p' "$log" | tail -n 1)
        echo "reproduce: SWIFT_BACKTRACE=enable=no MEDIACACHE_FUZZER=$target $fuzzer ${input:--runs=0 $corpus}"
        return 1
    fi
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") runs," \
        "$(grep -oE 'cov: [0-9]+' "$log" | tail -n 1 | cut -d ' ' -f 2) edges covered," \
        "$(($(find "$corpus" -type f | wc -l) - before)) new inputs," \
        "$(sed -n 's/^stat::peak_rss_mb: *//p' "$log") MB"
}

status=0
pids=()
for target in "${selected[@]}"; do
    while (($(jobs -rp | wc -l) >= jobs)); do wait -n || true; done
    run "$target" &
    pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || status=1; done
exit "$status"
