#!/usr/bin/env bash
# Prints the folder of a Python that has what the checks of the page, the API and the packaging need of it. What is missing
# is installed into .build/python.
#
# PYTHON names the command for Python.
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

# The stamp is a copy of what was installed: a change of a list installs anew.
if ! cat "${lists[@]}" | cmp -s - "$environment/installed"; then
    echo "python: installing what the checks need of Python into .build/python" >&2
    rm -rf "$environment"
    mkdir -p "$root/.build"
    "$python" -m venv "$environment" >/dev/null ||
        fail "Python's venv is missing; on Debian 'apt-get install python3-venv' installs it"
    arguments=()
    for list in "${lists[@]}"; do arguments+=(-r "$list"); done
    "$environment/bin/pip" install --quiet --disable-pip-version-check "${arguments[@]}" >&2 ||
        fail "what ${lists[*]} name couldn't be installed; that takes a network once"
    cat "${lists[@]}" >"$environment/installed"
fi
echo "$environment/bin"
