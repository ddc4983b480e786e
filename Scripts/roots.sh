# shellcheck shell=bash disable=SC2154
# Minimal systems for checks, made with mmdebstrap. The scripts that source this file run in the project's folder, and
# define `fail`, `say` and `folder`, a temporary folder.

# Folders that are readable in each system, at the same paths.
mounts=()

# The keyring of Ubuntu's archive, which Debian doesn't install.
ubuntu_keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg
ubuntu_package=http://archive.ubuntu.com/ubuntu/pool/main/u/ubuntu-keyring/ubuntu-keyring_2023.11.28.1_all.deb
ubuntu_package_hash=SHA256:36de43b15853ccae0028e9a767613770c704833f82586f28eb262f0311adb8a8

# Downloads the keyring from Ubuntu's package, unless it is installed, and sets `ubuntu_keyring`.
find_ubuntu_keyring() {
    local package=$folder/ubuntu-keyring.deb installed=$ubuntu_keyring
    [ ! -f "$installed" ] || return 0
    ubuntu_keyring=$PWD/.build/roots/${installed##*/}
    [ ! -f "$ubuntu_keyring" ] || return 0
    # Fails if the package has another checksum. The folder isn't readable by apt's own user.
    /usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file "$ubuntu_package" "$package" \
        "$ubuntu_package_hash" >/dev/null || fail "the keyring of Ubuntu's archive is missing; install $installed"
    dpkg-deb --fsys-tarfile "$package" | tar -xO ".$installed" >"$ubuntu_keyring.part"
    mv "$ubuntu_keyring.part" "$ubuntu_keyring"
}

# Unpacks a minimal system of a Debian or Ubuntu release into a new folder. NAME distinguishes the archive of a system
# with more packages. Archives are reused from .build/roots: unpack_root FOLDER SUITE [NAME PACKAGE,...].
unpack_root() {
    local root=$1 suite=$2 name=${3:-} include=${4:-} options=()
    local archive=.build/roots/$suite${name:+-$name}.tar
    if [ ! -f "$archive" ]; then
        mkdir -p .build/roots
        # mmdebstrap uses this file, too, to recognize the releases of Ubuntu.
        if grep -qs ",$suite," /usr/share/distro-info/ubuntu.csv; then
            find_ubuntu_keyring
            options=(--keyring="$ubuntu_keyring")
        fi
        say "$suite: making a minimal system${name:+ for $name}"
        # Ubuntu's minimal system has no apt.
        mmdebstrap --quiet --variant=minbase --format=tar --include="apt${include:+,$include}" "${options[@]}" \
            "$suite" "$archive.part" 2>"$folder/mmdebstrap" || fail "$suite: $(tail -n 3 "$folder/mmdebstrap")"
        mv "$archive.part" "$archive"
    fi
    mkdir "$root"
    tar -C "$root" -xf "$archive" --exclude=./dev/\*
    cp /etc/resolv.conf "$root/etc/resolv.conf"
}

# Runs a command in a chroot with its own mount and PID namespaces. All processes there end with the command:
# inside ROOT COMMAND...
inside() {
    local root=$1
    shift
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child bash -ec '
        root=$1; shift
        while [ "$1" != -- ]; do
            mkdir -p "$root$1"; mount --bind -o ro "$1" "$root$1"; shift
        done
        shift
        mount -t proc proc "$root/proc"; mount --rbind /dev "$root/dev"; mount -t tmpfs tmpfs "$root/run"
        exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
    ' inside "$root" ${mounts[@]+"${mounts[@]}"} -- "$@"
}
