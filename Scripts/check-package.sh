#!/usr/bin/env bash
# Installs the Debian package in minimal systems without Swift, uses it there, upgrades it while a server is running,
# removes and purges it.
#
#   Scripts/check-package.sh FOLDER-OF-THE-PACKAGE [SUITE...]
#
# SUITE is a Debian or Ubuntu release, bookworm and trixie by default. Each system is made with mmdebstrap, and its
# archive is reused from .build/roots. Requires root, mmdebstrap, ffmpeg, procps, python3 and a network connection; for
# Ubuntu's releases also distro-info-data. Playback of the demo is checked in the first suite, in the host's browser. If
# systemd-nspawn is installed, systemd in a container starts the service.
set -euo pipefail

fail() {
    echo "check-package: $*" >&2
    exit 1
}

say() { echo "check-package: $*"; }

[ "$(id -u)" = 0 ] || fail "this check uses chroot; run it as root"
for program in mmdebstrap ffmpeg python3 unshare; do
    command -v "$program" >/dev/null || fail "$program is missing; install it"
done
command -v pgrep >/dev/null || fail "pgrep is missing; install procps"
packages=$(realpath "${1:?the folder of the package is missing}")
shift
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(bookworm trixie)
cd "$(dirname "$0")/.."
# shellcheck source=/dev/null
source Scripts/await.sh
# shellcheck source=/dev/null
source Scripts/roots.sh
package=$(find "$packages" -name "mediacache_*_$(dpkg --print-architecture).deb" | sort -V | tail -n 1)
[ -n "$package" ] || fail "no .deb in $packages; 'make package' builds it"

folder=$(mktemp -d)
processes=()
# Ends a background process, and the command that it runs in a chroot. unshare ignores SIGTERM.
end() {
    local child
    for child in $(pgrep -P "$1"); do pkill -TERM -P "$child" || true; done
    kill -TERM "$1" 2>/dev/null || true
}
finish() {
    local process
    for process in ${processes[@]+"${processes[@]}"}; do end "$process"; done
    for process in ${processes[@]+"${processes[@]}"}; do wait "$process" 2>/dev/null || true; done
    rm -rf "$folder"
}
trap finish EXIT

Packaging/checks/media.sh "$folder"
python3 Packaging/checks/origin.py "$folder" >"$folder/origin" &
processes+=($!)
await 10 "origin" grep -q . "$folder/origin"
origin="http://127.0.0.1:$(cat "$folder/origin")"

# An older version for the upgrade. Its command and manual differ, and it has a file that the new version lacks. Bytes
# after the end of an executable have no effect.
dpkg-deb -R "$package" "$folder/older"
sed -i 's/^Version: .*/Version: 0.0.1/' "$folder/older/DEBIAN/control"
echo older >>"$folder/older/usr/bin/mediacache"
echo older | gzip -n >"$folder/older/usr/share/man/man1/mediacache.1.gz"
echo older >"$folder/older/usr/share/doc/mediacache/older"
(cd "$folder/older" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
dpkg-deb --root-owner-group -Znone --build "$folder/older" "$folder/older.deb" >/dev/null
version=$(dpkg-deb -f "$package" Version)

# Makes a minimal system in a new folder, and copies both versions of mediacache and the checks to its /packages. The
# arguments are those of unpack_root.
make_root() {
    local root=$1
    unpack_root "$@"
    mkdir "$root/packages"
    cp "$package" "$root/packages/mediacache.deb"
    cp "$folder/older.deb" "$root/packages/older.deb"
    cp Packaging/checks/*.sh "$root/packages"
}

for suite in "${suites[@]}"; do
    root=$folder/$suite
    make_root "$root" "$suite"
    inside "$root" apt-get -qq update

    # Times the installation and the demo, which are a new user's first steps.
    if [ "$suite" = "${suites[0]}" ]; then
        began=$SECONDS
        inside "$root" apt-get -qq install -y --no-install-recommends /packages/mediacache.deb >"$folder/apt" 2>&1 ||
            fail "$suite: $(tail -n 5 "$folder/apt")"
        installed=$SECONDS
        inside "$root" env HOME=/root mediacache demo --port 0 --origin-port 0 >"$folder/demo" 2>&1 &
        demo=$!
        processes+=("$demo")
        await 10 "address of the demo" grep -q '#key=' "$folder/demo"
        played=$("$(Scripts/python.sh)/python" Packaging/checks/demo.py "$(grep -oE 'http://[^ ]*#key=[^ ]+' "$folder/demo" | head -n 1)") ||
            fail "$suite: $played"
        say "$suite: apt $((installed - began)) s, demo $played after $((SECONDS - began)) s in total"
        end "$demo"
        wait "$demo" || true
        inside "$root" apt-get -qq purge -y mediacache >/dev/null 2>&1 || fail "$suite: the package can't be purged"
    fi

    inside "$root" apt-get -qq install -y --no-install-recommends /packages/older.deb >"$folder/apt" 2>&1 ||
        fail "$suite: $(tail -n 5 "$folder/apt")"
    # One PID namespace, so that the server continues during the upgrade. `dpkg --verify` lists files that differ from
    # those of the package.
    inside "$root" bash -euc "
        [ -e /usr/share/doc/mediacache/older ] || { echo 'a file of the older version is missing' >&2; exit 1; }
        /packages/installed.sh $origin
        apt-get -qq install -y --no-install-recommends /packages/mediacache.deb >/dev/null 2>&1
        [ \"\$(dpkg-query -W -f '\${Version}' mediacache)\" = $version ]
        [ -z \"\$(dpkg --verify mediacache | tee /dev/stderr)\" ]
        [ ! -e /usr/share/doc/mediacache/older ] || { echo 'the upgrade left a file of the older version' >&2; exit 1; }
        /packages/installed.sh kept
        apt-get -qq remove -y mediacache >/dev/null 2>&1
        ! command -v mediacache || { echo 'the command is still there after removal' >&2; exit 1; }
        [ -d /var/lib/mediacache ] || { echo 'the removal deleted the cache' >&2; exit 1; }
        apt-get -qq purge -y mediacache >/dev/null 2>&1
        [ ! -e /var/lib/mediacache ] && [ ! -e /etc/mediacache ] || { echo 'files remain after purge' >&2; exit 1; }
        ! getent passwd mediacache >/dev/null || { echo 'the user remains after purge' >&2; exit 1; }
    " || fail "$suite: see above"
    say "$suite: played, downloaded, recorded, upgraded with a running server, removed and purged"
done

if ! command -v systemd-nspawn >/dev/null; then
    say "the service wasn't started by systemd: systemd-nspawn is missing (package systemd-container)"
    exit 0
fi
root=$folder/systemd
make_root "$root" "${suites[0]}" systemd systemd,systemd-sysv,dbus,curl
# Installs the package's dependencies, which remain after the purge. They can't be installed later, because systemd's
# container has no network.
inside "$root" bash -euc '
    apt-get -qq update
    apt-get -qq install -y --no-install-recommends /packages/mediacache.deb
    apt-get -qq purge -y mediacache
' >"$folder/apt" 2>&1 || fail "systemd: $(tail -n 5 "$folder/apt")"
cat >"$root/etc/systemd/system/check.service" <<UNIT
[Unit]
After=multi-user.target
SuccessAction=poweroff-immediate
FailureAction=poweroff-immediate
[Service]
Type=oneshot
ExecStart=/packages/systemd.sh
StandardOutput=file:/packages/output
StandardError=file:/packages/output
[Install]
WantedBy=default.target
UNIT
mkdir -p "$root/etc/systemd/system/default.target.wants"
ln -s ../check.service "$root/etc/systemd/system/default.target.wants/check.service"
timeout 120 systemd-nspawn --quiet --register=no --keep-unit --private-network -D "$root" --boot >"$folder/boot" 2>&1 ||
    say "the container's exit status was $?"
[ "$(tail -n 1 "$root/packages/output" 2>/dev/null)" = passed ] ||
    fail "systemd: $(cat "$root/packages/output" 2>/dev/null || tail -n 5 "$folder/boot")"
say "systemd in ${suites[0]}: started, reloaded, restarted after SIGKILL, upgraded and removed; $(head -n 1 "$root/packages/output")"
