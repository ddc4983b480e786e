#!/usr/bin/env bash
# Prints the folder of the commands of a Python environment that has the packages for the checks of the page, the API
# and the packaging. Creates it in .build/python first, unless the packages there are those of the current lists.
#
# PYTHON sets the Python command.
set -euo pipefail

fail() {
    echo "python: $*" >&2
    exit 1
}

root=$(cd "$(dirname "$0")/.." && pwd)
environment="$root/.build/python"
lists=("$root"/Tests/*/requirements.txt "$root"/Packaging/checks/requirements.txt)
python=${PYTHON:-python3}
command -v "$python" >/dev/null 2>&1 || fail "$python is missing; install Python 3.10 or later"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    fail "$python is $("$python" --version 2>&1); install Python 3.10 or later, or set PYTHON to its command"

# The file "installed" is a copy of the lists. A changed list causes a new installation.
if ! cat "${lists[@]}" | cmp -s - "$environment/installed"; then
    echo "python: installing the checks' packages into .build/python" >&2
    rm -rf "$environment"
    mkdir -p "$root/.build"
    "$python" -m venv "$environment" >/dev/null ||
        fail "Python's venv is missing; on Debian 'apt-get install python3-venv' installs it"
    arguments=()
    for list in "${lists[@]}"; do arguments+=(-r "$list"); done
    "$environment/bin/pip" install --quiet --disable-pip-version-check "${arguments[@]}" >&2 ||
        fail "the packages of ${lists[*]} couldn't be installed; check the network connection"
    cat "${lists[@]}" >"$environment/installed"
fi
echo "$environment/bin"
