"""Checks that the license texts of the packages include one for each linked component.

    licenses.py LINKED CHECKOUTS RUNTIME TEXTS

LINKED is the linker's list of object files, CHECKOUTS the folder of the dependencies' sources, RUNTIME the folder of
the static libraries of Swift's runtime, and TEXTS the file with the license texts. Prints the mistakes, and exits with
1 if there are any.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LICENSES = ROOT / "Packaging" / "licenses"
# The names of the runtime's static libraries, and the files with their licenses.
RUNTIME = {
    r"lib_FoundationICU": "icu.txt",
    r"libswift.*|lib_?(Core)?Foundation(?!ICU).*|lib_CF.*|lib(dispatch|BlocksRuntime)": "swift.txt",
}


def license_of(module, checkouts):
    """Returns the license file that is nearest to a module's sources, or None."""
    folders = [folder for pattern in ("*/Sources/", "*/") for folder in checkouts.glob(pattern + module)]
    # Some targets name their folders.
    target = re.compile(rf'[tT]arget\(\s*name: "{module}"')
    folders += [manifest.parent for manifest in checkouts.glob("*/Package.swift") if target.search(manifest.read_text())]
    for folder in folders:
        while folder != checkouts:
            for file in sorted(folder.glob("LICENSE*")):
                if file.is_file():
                    return file
            folder = folder.parent
    return None


def mistakes(linked, checkouts, runtime, texts):
    """Yields a message for each component without a text."""
    modules = set(re.findall(r"/(\w+)\.build/", linked))
    if not modules:
        yield "the list of object files contains no module"
    for module in sorted(modules):
        if (ROOT / "Sources" / module).exists():
            continue
        file = license_of(module, checkouts)
        if not file:
            yield f"the module {module} has no license file in {checkouts}"
        elif file.read_text() not in texts:
            yield f"the text of {file.relative_to(checkouts)} is missing, the license of {module}"
    for library in sorted(runtime.glob("*.a")):
        names = [name for pattern, name in RUNTIME.items() if re.fullmatch(pattern, library.stem)]
        if not names:
            yield f"{library.name} is new in the Swift runtime; add its license to Packaging/licenses and this script"
        elif (LICENSES / names[0]).read_text() not in texts:
            yield f"the text of Packaging/licenses/{names[0]} is missing, the license of {library.name}"


def main():
    linked, checkouts, runtime, texts = map(pathlib.Path, sys.argv[1:])
    found = list(mistakes(linked.read_text(), checkouts, runtime, texts.read_text()))
    print("\n".join(found) or "each linked component has a license text")
    sys.exit(1 if found else 0)


main()
