#!/usr/bin/env bash
# Installs the packages that are missing for building (`build`), testing (`test`), benchmarks (`bench`) and packaging
# (`package`), and lists them.
#
# Debian and its derivatives: with apt, and sudo unless run as root. macOS: with Homebrew, if it is installed; building
# needs only Xcode's tools. Other systems: fails if programs are missing, and lists them. Without a Swift toolchain, it
# offers to install one (Scripts/install-swift.sh).
set -euo pipefail

say() { echo "setup: $*"; }

fail() {
    echo "setup: $*" >&2
    exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

needs_build=false
needs_players=false
programs=()
for part in "$@"; do
    case $part in
        build) needs_build=true ;;
        test)
            programs+=(ffmpeg nginx mpv curl openssl prometheus ruby shellcheck)
            needs_players=true
            ;;
        bench) programs+=(nginx varnish curl wrk aria2 ffmpeg openssl) ;;
        package) [ "$(uname -s)" = Darwin ] || programs+=(dpkg-dev) ;;
        *) fail "unknown part '$part'; use build, test, bench and package" ;;
    esac
done

if ! has "${SWIFT:-swift}"; then
    [ "${SWIFT:-swift}" = swift ] || fail "no command $SWIFT, which SWIFT names"
    "$(dirname "$0")/install-swift.sh"
fi

# Programs have the names of their packages, with three exceptions. Servers are in /usr/sbin, which may not be in PATH.
is_available() {
    local command=$1
    [ "$command" != varnish ] || command=varnishd
    [ "$command" != aria2 ] || command=aria2c
    [ "$command" != dpkg-dev ] || command=dpkg-shlibdeps
    has "$command" || [ -x "/usr/sbin/$command" ]
}

missing=()
for program in ${programs[@]+"${programs[@]}"}; do
    is_available "$program" || missing+=("$program")
done

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

install_with_apt() {
    local packages=("$@") prefix=()
    if [ "$(id -u)" -ne 0 ]; then
        has sudo || fail "missing: ${packages[*]}; run 'apt-get install ${packages[*]}' as root"
        prefix=(sudo)
    fi
    say "installing with apt: ${packages[*]}"
    "${prefix[@]}" apt-get update -qq
    # Before the update, apt may not know all packages. Some derivatives of Debian have browsers only as snaps.
    local others=() name
    for name in "${packages[@]}"; do
        if [[ " chromium firefox-esr webkit2gtk-driver " == *" $name "* ]] && ! apt-cache show "$name" >/dev/null 2>&1; then
            [ "${MEDIACACHE_REQUIRE_ALL:-}" != 1 ] || fail "apt has no $name; install it another way"
            say "apt has no $name; unless it is installed another way, tests with it as a player are skipped, and" \
                "'make check-page' fails"
        else
            others+=("$name")
        fi
    done
    packages=(${others[@]+"${others[@]}"})
    [ ${#packages[@]} -gt 0 ] || return 0
    "${prefix[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" \
        >/dev/null
    local package
    for package in "${packages[@]}"; do
        case $package in
            nginx | varnish)
                say "$package: Debian may have started it as a service, which isn't needed" \
                    "('systemctl disable --now $package' stops it)"
                ;;
        esac
    done
}

if [ "$(uname -s)" = Darwin ]; then
    if $needs_players; then
        has timeout || missing+=(coreutils)
        # Xcode's Python is older.
        python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || missing+=(python)
        has chromium || [ -n "${CHROMIUM:-}" ] || [ -d "/Applications/Google Chrome.app" ] ||
            say "the page's tests need Google Chrome ('brew install --cask google-chrome'), or CHROMIUM with the" \
                "command of another browser of Chromium's family; without it, 'make check-page' fails"
    fi
    if [ ${#missing[@]} -gt 0 ]; then
        has brew || fail "missing: ${missing[*]}; install Homebrew (https://brew.sh) and run 'make setup' again," \
            "or install them another way"
        say "installing with Homebrew: ${missing[*]}"
        brew install --quiet "${missing[@]}"
    fi
elif has apt-get; then
    packages=(${missing[@]+"${missing[@]}"})
    if $needs_build; then
        for package in libcurl4-openssl-dev libsqlite3-dev libssl-dev zlib1g-dev; do
            is_installed "$package" || packages+=("$package")
        done
    fi
    if $needs_players; then
        has chromium || packages+=(chromium)
        has firefox-esr || has firefox || packages+=(firefox-esr)
        # WebKitGTK plays media through GStreamer.
        for package in vlc-bin vlc-plugin-base python3-venv webkit2gtk-driver gstreamer1.0-libav \
            gstreamer1.0-plugins-good xvfb; do
            is_installed "$package" || packages+=("$package")
        done
    fi
    if [ ${#packages[@]} -gt 0 ]; then install_with_apt "${packages[@]}"; fi
else
    if $needs_build && ! [ -e /usr/include/sqlite3.h ]; then
        say "building needs the headers of libcurl, OpenSSL, SQLite 3 and zlib; install them if the build reports them missing"
    fi
    if [ ${#missing[@]} -gt 0 ]; then
        fail "missing: ${missing[*]}; install them with this system's package manager"
    fi
fi
