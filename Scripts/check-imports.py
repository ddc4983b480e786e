#!/usr/bin/env python3
"""Checks that every target imports only modules that it depends on in Package.swift.

    Scripts/check-imports.py

The compiler also finds the modules of indirect dependencies, and SwiftPM's option
`--explicit-target-dependency-import-check` has no effect on a build of this package. SWIFT names the swift command.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"
    r"import\s+(?:(?:typealias|struct|class|enum|protocol|let|var|func)\s+)?(\w+)", re.MULTILINE)


def main():
    dump = subprocess.run([os.environ.get("SWIFT", "swift"), "package", "dump-package"], cwd=ROOT, check=True,
                          capture_output=True, text=True, env={**os.environ, "MEDIACACHE_FUZZ": "1"})
    targets = json.loads(dump.stdout)["targets"]
    # The names of products of other packages are those of their modules.
    dependencies = {
        target["name"]: {name for dependency in target["dependencies"]
                         for kind in ("byName", "product", "target") for name in dependency.get(kind, [])[:1]}
        for target in targets}
    known = set(dependencies).union(*dependencies.values())
    failures = 0
    for target in targets:
        name = target["name"]
        folder = target.get("path") or ("Tests/" if target["type"] == "test" else "Sources/") + name
        for path in sorted((ROOT / folder).rglob("*.swift")):
            for module in IMPORT.findall(path.read_text()):
                if module in known and module != name and module not in dependencies[name]:
                    print(f"{path.relative_to(ROOT)}: imports {module}, but {name} doesn't depend on it")
                    failures += 1
    if failures:
        print(f"check-imports: {failures} findings", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
