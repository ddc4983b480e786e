#!/usr/bin/env bash
# Executes the steps of the Dockerfile without Docker, in minimal Debian systems. Then starts the image's command as the
# image's user, checks its health, and stops it.
#
#   Scripts/check-image.sh
#
# Swift's image is replaced by a system with the same packages, in which this system's toolchain is mounted. Local
# mirrors that Git's configuration specifies (url.FOLDER.insteadOf) are mounted too. Requires root, mmdebstrap,
# iproute2, python3 and a network connection, and takes as long as a release build.
set -euo pipefail

fail() {
    echo "check-image: $*" >&2
    exit 1
}

say() { echo "check-image: $*"; }

[ "$(id -u)" = 0 ] || fail "this check uses chroot; run it as root"
for program in mmdebstrap ip python3 unshare; do
    command -v "$program" >/dev/null || fail "$program is missing; install it"
done
cd "$(dirname "$0")/.."
# shellcheck source=/dev/null
source Scripts/roots.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The packages of Swift's image: https://github.com/swiftlang/swift-docker
swift_packages=binutils,ca-certificates,gcc,git,libcurl4-openssl-dev,libedit-dev,libicu-dev,libncurses-dev
swift_packages+=,libpython3-dev,libsqlite3-dev,libstdc++-12-dev,libxml2-dev,pkg-config,tzdata,uuid-dev

toolchain=$("${SWIFT:-swift}" -print-target-info | sed -n 's#.*"runtimeResourcePath" *: *"\(.*\)/lib/swift".*#\1#p')
mounts=("$toolchain")
while read -r name url; do
    mirror=${name#url.}
    mirror=${mirror%.insteadof}
    [ -d "$mirror" ] || continue
    mounts+=("$mirror")
    git config --file "$folder/gitconfig" --add "$name" "$url"
done < <(git config --get-regexp '^url\..*\.insteadof$' || true)

# The context: the project's files, without those that are ignored.
context=$folder/context
mkdir "$context"
git ls-files -z | tar -c --null --files-from=- | tar -C "$context" -x
grep -v '^#' Packaging/docker/Dockerfile.dockerignore >"$folder/ignored"
(
    shopt -s globstar
    cd "$context"
    # shellcheck disable=SC2086
    while read -r pattern; do rm -rf $pattern; done <"$folder/ignored"
)

# Starts a stage: from IMAGE [AS NAME].
from() {
    root=$folder/${3:-image}
    working=/
    environment=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root)
    case $1 in
        swift:*-bookworm)
            unpack_root "$root" bookworm swift "$swift_packages"
            [ ! -f "$folder/gitconfig" ] || cp "$folder/gitconfig" "$root/etc"
            environment[0]+=:$toolchain/bin
            ;;
        debian:bookworm-slim) unpack_root "$root" bookworm ;;
        *) fail "unknown image $1" ;;
    esac
}

# Copies files of the context or of another stage: copy [--from=STAGE] SOURCE... TARGET.
copy() {
    local origin=$context target=${!#} pattern file
    if [[ $1 = --from=* ]]; then
        origin=$folder/${1#--from=}
        shift
    fi
    [[ $target = /* ]] || target=$working/$target
    for pattern in "${@:1:$#-1}"; do
        # shellcheck disable=SC2231
        for file in "$origin"/$pattern; do
            if [ -d "$file" ]; then
                mkdir -p "$root$target"
                cp -a "$file/." "$root$target"
            else
                mkdir -p "$root${target%/*}"
                cp -a "$file" "$root$target"
            fi
        done
    done
}

# Runs a shell command in the current stage.
run() {
    local began=$SECONDS
    inside "$root" env "${environment[@]}" sh -c "cd $working; $1" </dev/null >"$folder/log" 2>&1 ||
        fail "$1: $(tail -n 20 "$folder/log")"
    say "$((SECONDS - began)) s: ${1:0:90}"
}

# Prints the words of a JSON array, which contain no spaces.
words() { python3 -c 'import json, sys; print(*json.loads(sys.argv[1]))' "$1"; }

# Joins continued lines, so that each line is an instruction.
sed -e '/^[[:space:]]*\(#\|$\)/d' -e ':join' -e '/\\$/ { N; s/\\\n[[:space:]]*//; b join' -e '}' \
    Packaging/docker/Dockerfile >"$folder/instructions"
while read -r instruction arguments; do
    read -ra list <<<"$arguments"
    case $instruction in
        FROM) from "${list[@]}" ;;
        WORKDIR)
            working=$arguments
            mkdir -p "$root$working"
            ;;
        COPY) copy "${list[@]}" ;;
        RUN) run "$arguments" ;;
        ARG | ENV) environment+=("${list[@]//\"/}") ;;
        USER) user=$arguments ;;
        HEALTHCHECK) health=$(words "${arguments#*CMD }") ;;
        ENTRYPOINT) entry=$(words "$arguments") ;;
        CMD) command=$(words "$arguments") ;;
        LABEL | VOLUME | EXPOSE | STOPSIGNAL) ;;
        *) fail "unknown instruction $instruction" ;;
    esac
done <"$folder/instructions"

# A container has a network of its own.
export -f inside
# shellcheck disable=SC2016
unshare --net bash -c 'ip link set lo up && inside "$@"' network "$root" env "${environment[@]}" bash -euc '
    user=$1; server=$2; health=$3
    as_user=(setpriv --reuid "${user%:*}" --regid "${user#*:}" --clear-groups)
    "${as_user[@]}" $server >/tmp/log 2>&1 &
    for ((tries = 0; tries < 100; tries++)); do
        ! "${as_user[@]}" $health 2>/dev/null || break
        sleep 0.1
    done
    "${as_user[@]}" $health || { cat /tmp/log >&2; exit 1; }
    "${as_user[@]}" mediacache url https://example.org/film.mp4 >/dev/null
    kill -TERM $!
    wait $!
' check "$user" "$entry $command" "$health" || fail "the command failed; see above"
say "the command ran as $user, was healthy, and stopped"
