#!/usr/bin/env bash
# Installs a Swift toolchain for this user with swiftly, the installer of swift.org
# (https://www.swift.org/install/linux/swiftly). Run by Scripts/setup.sh if there is no `swift` command.
#
#   Scripts/install-swift.sh
#
# Asks for confirmation, and fails without a terminal. YES=1 skips the question. SWIFTLY_SOURCE is the address of
# swiftly's archives, for Scripts/check-swiftly.sh. swiftly verifies the signature of the toolchain; the download of
# swiftly itself relies on HTTPS.
set -euo pipefail

# The version that CI and the container use.
version=6.3
source=${SWIFTLY_SOURCE:-https://download.swift.org/swiftly/linux}
bin=${SWIFTLY_BIN_DIR:-$HOME/.local/share/swiftly/bin}

say() { echo "setup: $*"; }

fail() {
    echo "setup: $*" >&2
    exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

if [ "$(uname -s)" != Linux ]; then
    fail "no swift command; install Xcode 26 or later, or Swift 6.2 or later from https://www.swift.org/install"
fi

question="no swift command; install Swift $version with swiftly (about 1 GB in your home folder, and a line in your shell's profile)?"
if [ "${YES:-}" != 1 ]; then
    if ! [ -t 0 ] || ! [ -t 1 ]; then
        fail "no swift command; install Swift 6.2 or later from https://www.swift.org/install, or repeat the command with YES=1"
    fi
    printf 'setup: %s [y/N] ' "$question"
    read -r answer || answer=""
    case $answer in
        y | Y | yes) ;;
        *) fail "nothing was installed; https://www.swift.org/install lists other ways to install Swift 6.2 or later" ;;
    esac
fi

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else
        has sudo || fail "these commands need root, and sudo is missing: $*"
        sudo "$@"
    fi
}

# curl and tar are for the archive of swiftly, gpg for the toolchain's signature, and the certificates for HTTPS.
missing=()
for program in curl gpg tar; do has "$program" || missing+=("$program"); done
[ -e /etc/ssl/certs/ca-certificates.crt ] || [ -e /etc/pki/tls/certs/ca-bundle.crt ] || missing+=(ca-certificates)
if [ ${#missing[@]} -gt 0 ]; then
    has apt-get || fail "the installation needs ${missing[*]}; install them with this system's package manager"
    say "installing with apt: ${missing[*]}"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
archive=swiftly-$(uname -m).tar.gz
say "downloading $source/$archive"
curl --fail --silent --show-error --location --retry 2 --output "$folder/$archive" "$source/$archive" ||
    fail "$source/$archive couldn't be downloaded; check the network connection"
tar -C "$folder" -xzf "$folder/$archive" || fail "$source/$archive isn't an archive"
[ -x "$folder/swiftly" ] || fail "$source/$archive doesn't contain swiftly"
"$folder/swiftly" init --assume-yes --skip-install --quiet-shell-followup ||
    fail "swiftly couldn't be set up; https://www.swift.org/install lists other ways to install Swift"
say "installing Swift $version"
"$bin/swiftly" install --assume-yes --use "--post-install-file=$folder/packages.sh" "$version" ||
    fail "swiftly couldn't install Swift $version; https://www.swift.org/install lists other ways"

# swiftly writes the commands that install the toolchain's system packages, if any are missing.
if [ -s "$folder/packages.sh" ]; then
    say "installing the packages that the toolchain needs"
    ! has apt-get || as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive sh "$folder/packages.sh" >/dev/null ||
        fail "these commands failed; run them as root: $(cat "$folder/packages.sh")"
fi
"$bin/swift" --version >/dev/null 2>&1 || fail "$bin/swift doesn't run after the installation"
say "installed Swift $version; new shells find it, and 'make' finds it at once"
