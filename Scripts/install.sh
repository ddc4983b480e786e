#!/usr/bin/env bash
# Installs the command with its manual page, completions, systemd unit, samples and licenses, or removes them.
#
#   Scripts/install.sh install PATH-OF-MEDIACACHE
#   Scripts/install.sh uninstall
#
# PREFIX is /usr/local by default. DESTDIR is put before all paths, for packages. Caches and settings aren't touched.
set -euo pipefail
# All users can read the files.
umask 022

cd "$(dirname "$0")/.."
prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}$prefix
documents=$root/share/doc/mediacache

# The completions of zsh are elsewhere in Debian's packages.
zsh=$root/share/zsh/site-functions
[ "$prefix" != /usr ] || zsh=$root/share/zsh/vendor-completions

say() { echo "install: $*"; }

fail() {
    echo "install: $*" >&2
    exit 1
}

# Prints the license of the project, followed by those of its dependencies, of sources that these contain, and of the
# Swift runtime.
licenses() {
    local names package folder file
    names=$("${SWIFT:-swift}" package show-dependencies --format flatlist 2>/dev/null | sort -u)
    [ -n "$names" ] || fail "the dependencies can't be listed, so their licenses would be missing"
    cat LICENSE
    for package in $names; do
        # The names are in lower case, unlike some folders, such as GRDB.swift.
        folder=$(find .build/checkouts -maxdepth 1 -iname "$(basename "$package" .git)")
        ls "$folder"/LICENSE* >/dev/null 2>&1 || fail "the license of $package is missing from .build/checkouts"
        for file in "$folder"/LICENSE* "$folder"/NOTICE* "$folder"/Sources/*/LICENSE*; do
            [ -f "$file" ] || continue
            printf '\n\n%s\n\n' "--- $(basename "$folder"), ${file#"$folder"/} ---"
            cat "$file"
        done
    done
    printf '\n\n%s\n\n' "--- Swift runtime and Foundation, https://www.swift.org/legal/license.html ---"
    cat Packaging/licenses/swift.txt
    printf '\n\n%s\n\n' "--- ICU, which Foundation contains, https://icu.unicode.org ---"
    cat Packaging/licenses/icu.txt
}

install_all() {
    local program=$1
    [ -x "$program" ] || fail "$program isn't an executable; 'make install' builds it"
    install -d "$root/bin" 2>/dev/null || fail "$root/bin can't be written; use sudo, or PREFIX=\$HOME/.local"
    if [ "$(uname -s)" = Linux ]; then install -s -m 0755 "$program" "$root/bin/mediacache"; else
        install -m 0755 "$program" "$root/bin/mediacache"
    fi
    install -d "$root/share/man/man1" "$root/share/bash-completion/completions" "$zsh" \
        "$root/share/fish/vendor_completions.d" "$documents/examples"
    "$program" manual | gzip -9n >"$root/share/man/man1/mediacache.1.gz"
    "$program" --generate-completion-script bash >"$root/share/bash-completion/completions/mediacache"
    "$program" --generate-completion-script zsh >"$zsh/_mediacache"
    "$program" --generate-completion-script fish >"$root/share/fish/vendor_completions.d/mediacache.fish"
    licenses >"$documents/copyright"
    # The versions of the dependencies, which a later build of the same source may resolve differently.
    [ -f Package.resolved ] || fail "Package.resolved is missing, which the build writes"
    install -m 0644 Package.resolved "$documents"
    install -m 0644 README.md docs/guide.md docs/operating.md docs/openapi.yaml "$documents"
    install -m 0644 Packaging/config.json Packaging/nginx/mediacache.conf Packaging/prometheus/rules.yml \
        Packaging/grafana/mediacache.json "$documents/examples"
    if [ "$(uname -s)" = Linux ]; then
        install -d "$root/lib/systemd/system" "$root/lib/sysusers.d"
        sed "s#/usr/bin/mediacache#$prefix/bin/mediacache#" Packaging/systemd/mediacache.service \
            >"$root/lib/systemd/system/mediacache.service"
        install -m 0644 Packaging/systemd/sysusers.conf "$root/lib/sysusers.d/mediacache.conf"
    fi
}

uninstall_all() {
    rm -f "$root/bin/mediacache" "$root/share/man/man1/mediacache.1.gz" \
        "$root/share/bash-completion/completions/mediacache" "$zsh/_mediacache" \
        "$root/share/fish/vendor_completions.d/mediacache.fish" "$root/lib/systemd/system/mediacache.service" \
        "$root/lib/sysusers.d/mediacache.conf"
    rm -rf "$documents"
}

case ${1:-} in
    install)
        install_all "${2:?the path of the executable is missing}"
        [ -n "${DESTDIR:-}" ] || say "installed $root/bin/mediacache; 'make uninstall PREFIX=$prefix' removes it"
        ;;
    uninstall)
        uninstall_all
        say "removed mediacache from $root; caches and settings remain"
        ;;
    *) fail "use 'install PATH-OF-MEDIACACHE' or 'uninstall'" ;;
esac
