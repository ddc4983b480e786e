#!/usr/bin/env bash
# Checks the workflows of .github, which can't run here: their schema, the scripts in their steps, and the actions, make
# targets and files that they name. Checks the syntax of the Homebrew formula.
#
#   Scripts/check-workflows.sh
#
# Requires python3 and shellcheck. Without ruby it reports that the formula is unchecked, or fails if
# MEDIACACHE_REQUIRE_ALL=1.
set -euo pipefail

cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "check-workflows: $*" >&2
    exit 1
}

say() { echo "check-workflows: $*"; }

command -v shellcheck >/dev/null || fail "shellcheck is missing; 'make setup' installs it"
python=$(Scripts/python.sh)

# Prints the mistakes in workflows, and returns 1 if there are any: check FOLDER-OF-THE-WORKFLOWS
check() {
    local scripts
    scripts=$(mktemp -d "$folder/XXXXXX")
    "$python/check-jsonschema" --builtin-schema vendor.github-workflows "$1"/*.yml || return 1
    "$python/python" Packaging/checks/workflows.py "$scripts" "$1"/*.yml || return 1
    shellcheck "$scripts"/*.sh
}

check .github/workflows >"$folder/found" 2>&1 || fail "$(cat "$folder/found")"
say "the workflows are valid"

# The check itself must detect mistakes. Each line has an edit of the workflows for sed, and a part of the message.
while IFS='|' read -r mistake message; do
    rm -rf "$folder/wrong"
    mkdir "$folder/wrong"
    for workflow in .github/workflows/*.yml; do
        sed -E "$mistake" "$workflow" >"$folder/wrong/${workflow##*/}"
    done
    ! diff -r .github/workflows "$folder/wrong" >/dev/null || fail "no workflow contains the text of $mistake"
    ! check "$folder/wrong" >"$folder/found" 2>&1 || fail "the check doesn't detect $mistake"
    grep -qF -- "$message" "$folder/found" || fail "$mistake is reported as: $(cat "$folder/found")"
done <<'MISTAKES'
s/^    runs-on:/    run-on:/|'runs-on' is a required property
s/make check-package$/make check-packages/|no target check-packages
s#Scripts/render-formula.sh#Scripts/formula.sh#|Scripts/formula.sh doesn't exist
s#run: .ci/run#run: .ci/checks#|.ci/checks doesn't exist
s/(checkout@)[0-9a-f]+ # (v7).*/\1\2/|isn't pinned
s/\$GITHUB_REF_NAME/${{ github.ref_name }}/|could inject commands
s/"\$GITHUB_WORKSPACE"/$GITHUB_WORKSPACE/|SC2086
s/^    needs: package$/    needs: packages/|needs the job packages
s/steps\.combined\./steps.combination./|steps.combination doesn't exist
s/^      contents: read$/      packages: write/|may write packages although not only tags start it
s/\{ matrix\.platform/{ matrix.platforms/|matrix.platforms doesn't exist
s/^permissions: .*/permissions: read-all/|permissions aren't empty
s/^    timeout-minutes: .*//|timeout-minutes is missing
s/image: swift:6/image: swift:5/|isn't the image of the Dockerfile
MISTAKES
say "the check detects mistakes in them"

# --- the formula

Scripts/render-formula.sh https://example.org/mediacache https://example.org/mediacache-0.1.0.tar.gz LICENSE \
    >"$folder/mediacache.rb"
! grep -nE '@[A-Z0-9]+@' "$folder/mediacache.rb" || fail "the rendered formula contains a placeholder"
grep -qE '^  sha256 "[0-9a-f]{64}"$' "$folder/mediacache.rb" || fail "the rendered formula has no checksum"
if command -v ruby >/dev/null; then
    ruby -wc "$folder/mediacache.rb" >"$folder/found" 2>&1 || fail "the formula: $(cat "$folder/found")"
    sed '/^end$/d' "$folder/mediacache.rb" >"$folder/wrong.rb"
    ! ruby -wc "$folder/wrong.rb" >/dev/null 2>&1 || fail "ruby accepts a formula without its end"
    say "the formula is valid Ruby"
else
    [ "${MEDIACACHE_REQUIRE_ALL:-}" != 1 ] || fail "ruby is missing, and MEDIACACHE_REQUIRE_ALL=1 forbids skipping the formula"
    say "skipped the formula's syntax: ruby is missing"
fi
