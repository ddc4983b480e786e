#!/usr/bin/env bash
# Builds the documentation of each target that has a catalog, and writes the archives to .build/documentation. Warnings,
# such as links to missing symbols, are errors, except those about undocumented parameters.
set -euo pipefail

cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}

if [ "$(uname -s)" = Darwin ]; then
    docc=(xcrun docc)
elif command -v docc >/dev/null 2>&1; then
    docc=(docc)
else
    docc=("$(dirname "$(command -v "$swift")")/docc")
fi

output=.build/documentation
graphs=$(mktemp -d)
trap 'rm -rf "$graphs"' EXIT
mkdir -p "$output"

if ! "$swift" package dump-symbol-graph --minimum-access-level public --skip-synthesized-members \
    >"$graphs/log" 2>&1; then
    cat "$graphs/log" >&2
    exit 1
fi
written=$(sed -n 's/^Files written to //p' "$graphs/log")

status=0
for catalog in Sources/*/*.docc; do
    module=$(basename "$catalog" .docc)
    mkdir "$graphs/$module"
    cp "$written/$module".symbols.json "$graphs/$module/"
    for extension in "$written/$module"@*.symbols.json; do
        [ ! -e "$extension" ] || cp "$extension" "$graphs/$module/"
    done
    # Comments omit parameters with self-explanatory names. docc warns about them if other parameters are documented.
    if "${docc[@]}" convert "$catalog" --additional-symbol-graph-dir "$graphs/$module" \
        --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
        --output-path "$output/$module.doccarchive" >"$graphs/log" 2>&1 &&
        ! grep -E '^(warning|error):' "$graphs/log" | grep -qv "^warning: Parameter '.*' is missing documentation$"; then
        echo "documentation: $output/$module.doccarchive"
    else
        cat "$graphs/log" >&2
        status=1
    fi
done
exit "$status"
