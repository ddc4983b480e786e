#!/usr/bin/env bash
# Packages the command for Linux: as a relocatable .tar.gz and, where dpkg-deb is available, as a .deb.
#
#   Scripts/package.sh PATH-OF-MEDIACACHE [FOLDER]
#
# FOLDER is .build/packages by default. The same source and executable result in the same files. Fails if a package or
# the installed command is larger than its limit.
set -euo pipefail
# The modes of the files don't depend on the user's umask.
umask 022

[ "$(uname -s)" = Linux ] || { echo "package: packages are built on Linux; use 'make install' here" >&2 && exit 1; }
program=$(realpath "${1:?the path of the executable is missing}")
cd "$(dirname "$0")/.."
mkdir -p "${2:-.build/packages}"
folder=$(realpath "${2:-.build/packages}")
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

version=$("$program" --version)
machine=$(uname -m)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH

say() { echo "package: $*"; }

fail() {
    echo "package: $*" >&2
    exit 1
}

# The limits, in bytes.
largest_package=35000000
largest_command=80000000

# Prints the sizes of a package and of its contents, and checks them: report FILE FOLDER-OF-ITS-CONTENTS.
report() {
    local packed installed command
    packed=$(stat -c %s "$1")
    installed=$(du -sb "$2" | cut -f 1)
    command=$(stat -c %s "$2/bin/mediacache")
    say "$1: $((packed / 1000000)) MB, installed $((installed / 1000000)) MB, the command $((command / 1000000)) MB"
    ((packed <= largest_package)) || fail "$1 has $packed bytes; the limit is $largest_package"
    ((command <= largest_command)) || fail "the installed command has $command bytes; the limit is $largest_command"
}

# --- the archive

name=mediacache-$version-linux-$machine
DESTDIR=$stage/archive/ PREFIX=$name Scripts/install.sh install "$program"
sed -i "s#^ExecStart=.*/bin/mediacache#ExecStart=/usr/local/bin/mediacache#" \
    "$stage/archive/$name/lib/systemd/system/mediacache.service"
tar -C "$stage/archive" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    -cf - "$name" | gzip -9n >"$folder/$name.tar.gz"
report "$folder/$name.tar.gz" "$stage/archive/$name"

# --- the Debian package

if ! command -v dpkg-deb >/dev/null; then
    say "no .deb: dpkg-deb is missing"
    exit 0
fi
root=$stage/debian
DESTDIR=$root PREFIX=/usr Scripts/install.sh install "$program"
gzip -9n "$root/usr/share/doc/mediacache/openapi.yaml"
architecture=$(dpkg --print-architecture)
mkdir "$root/DEBIAN"
# The packages of the shared libraries, with the minimum versions that dpkg-shlibdeps finds on this system.
mkdir -p "$stage/shlibs/debian"
echo "Source: mediacache" >"$stage/shlibs/debian/control"
depends=$(cd "$stage/shlibs" && dpkg-shlibdeps -O "$root/usr/bin/mediacache" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || fail "dpkg-shlibdeps found no libraries; install dpkg-dev"
sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@DEPENDS@/$depends/" \
    -e "s/@MAINTAINER@/${MAINTAINER:-mediacache@localhost}/" \
    -e "s/@SIZE@/$(du -sk --apparent-size "$root/usr" | cut -f 1)/" Packaging/debian/control.in >"$root/DEBIAN/control"
install -m 0755 Packaging/debian/postinst Packaging/debian/prerm Packaging/debian/postrm "$root/DEBIAN"
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
package=$folder/mediacache_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$package" >/dev/null
report "$package" "$root/usr"
