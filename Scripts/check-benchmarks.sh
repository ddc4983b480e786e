#!/usr/bin/env bash
# Type-checks the benchmarks with the modules of the debug build and warnings as errors. They are a separate package,
# and CI has no time to build it in release mode.
set -euo pipefail

cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
modules=.build/debug/Modules
manifest=.build/debug.yaml
[ -d "$modules" ] || { echo "check-benchmarks: $modules is missing; run 'make build-strict' first" >&2; exit 1; }
# SwiftPM names the package after its folder.
package=$(grep -F '"-module-name","TestSupport"' "$manifest" | grep -oE '"-package-name","[^"]+"' | head -n 1 | cut -d '"' -f 4)

"$(dirname "$(command -v "$swift")")/swiftc" -typecheck -parse-as-library -swift-version 6 -warnings-as-errors \
    -module-name Benchmarks -package-name "$package" -I "$modules" -Xcc -fmodule-map-file=.build/debug/CMediaCacheShims.build/module.modulemap \
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility \
    -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature NonisolatedNonsendingByDefault \
    Benchmarks/Sources/Benchmarks/*.swift Benchmarks/Sources/Benchmarks/Support/*.swift
echo "type-checked: Benchmarks"
