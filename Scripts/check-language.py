#!/usr/bin/env python3
"""Checks the language of comments, help texts, page strings, docs and commit subjects.

    Scripts/check-language.py [--report] [--all] [PATH ...]

Fails on doc comments that open with a vague word, on vague phrases, and on commit subjects that are too long or open
with an article or a wh-word. PATH limits the check to files below it, without commit subjects. --report prints the
number of findings for each target and word frequencies, and never fails. --all prints every finding instead of the
first ones of each file.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIRST_COMMIT = "da335b4"
SHOWN = 3

OPENING = re.compile(
    r"(?:What|Who|Whom|Whose|Which|Where|That|Those|Nobody|Somebody|Anybody|The same|So many|Since when)\b")
PHRASES = re.compile(
    r"\b(?:anew|tells? of|told of|goes by|go by|went by|for who|who has|who asks|so many|so long ago|what came|what is here"
    r"|what is kept|what was kept|is kept|are kept|can't be had|can’t be had|is to be|are to be|nobody|somebody|anybody"
    r"|is told|are told|comes? of it|besides what|minds? the|stands for|stands? in|stands? there)\b",
    re.IGNORECASE)
SUBJECT = re.compile(r"(?:A|An|The|What|Who|Whose|Which|Where|When|That)\b", re.IGNORECASE)
WORDS = {
    "what": {"what"},
    "who/nobody/somebody": {"who", "whom", "whose", "nobody", "somebody", "anybody"},
    "come/came": {"come", "comes", "came", "coming"},
    "kept": {"kept", "keeps", "keep"},
    "else/anew": {"else", "anew"},
}

# Files without a suffix are scripts, the Makefile and a Dockerfile.
HASH_COMMENTS = {"", ".sh", ".py", ".rb", ".yml"}
CODE = HASH_COMMENTS | {".swift", ".c", ".h", ".js"}
PROSE = {".md", ".html", ".yaml", ".txt"}
FOLDERS = ["Sources", "Tests", "Scripts", "docs", "Packaging", "Examples", "Stubs", "Benchmarks", ".ci", ".github",
           "README.md", "CONTRIBUTING.md", "Makefile", "Package.swift"]


def files(paths):
    listed = subprocess.run(["git", "ls-files", *(paths or FOLDERS)], cwd=ROOT, capture_output=True, text=True,
                            check=True).stdout.split("\n")
    for name in listed:
        path = ROOT / name
        if path.suffix in CODE | PROSE and path.is_file() and path != pathlib.Path(__file__).resolve():
            yield name, path


def passages(path):
    """Yields (line number, text, whether a doc comment begins here) for each line of prose in a file."""
    text = path.read_text(errors="replace")
    if path.suffix in PROSE:
        for number, line in enumerate(text.split("\n"), 1):
            yield number, line, False
        return
    marker = "#" if path.suffix in HASH_COMMENTS else "//"
    was_doc = False
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        is_doc = stripped.startswith("///")
        if stripped.startswith(marker):
            yield number, stripped.lstrip("/#! "), is_doc and not was_doc
        else:
            # Messages and help texts. `make help` prints the texts after the targets of the Makefile.
            if path.name == "Makefile" and " ## " in line:
                yield number, line.partition(" ## ")[2], False
            for literal in re.findall(r'"((?:[^"\\]|\\.)*[A-Za-z]{2,} [a-z](?:[^"\\]|\\.)*)"', line):
                yield number, literal, False
        was_doc = is_doc


def findings(path):
    for number, text, is_opening in passages(path):
        if is_opening and OPENING.match(text):
            yield number, "opens with a vague word", text
        for match in PHRASES.finditer(text):
            yield number, f"“{match.group(0)}”", text


def subjects():
    log = subprocess.run(["git", "log", "--no-merges", "--format=%h %s", f"{FIRST_COMMIT}..HEAD"], cwd=ROOT,
                         capture_output=True, text=True)
    # A shallow clone lacks the first commit.
    if log.returncode != 0:
        return
    for line in log.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > 72:
            yield commit, f"{len(subject)} columns instead of 72", subject
        if SUBJECT.match(subject):
            yield commit, "opens with an article or a wh-word", subject


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("paths", nargs="*")
    options = parser.parse_args()
    total = 0
    by_target = collections.Counter()
    counts, words = collections.Counter(), 0
    for name, path in files(options.paths):
        found = list(findings(path))
        total += len(found)
        by_target["/".join(name.split("/")[:2])] += len(found)
        for number, reason, text in found if options.all else found[:SHOWN]:
            if not options.report:
                print(f"{name}:{number}: {reason}: {text.strip()[:120]}")
        if not options.all and len(found) > SHOWN and not options.report:
            print(f"{name}: {len(found) - SHOWN} more")
        if path.suffix in CODE:
            for _, text, _ in passages(path):
                for word in re.findall(r"[a-z’']+", text.lower()):
                    words += 1
                    counts[word] += 1
    if not options.paths:
        for commit, reason, subject in subjects():
            total += 1
            print(f"{commit}: {reason}: {subject}")
    if options.report:
        for target, count in by_target.most_common():
            if count:
                print(f"{count:6} {target}")
        for name, members in WORDS.items():
            print(f"{1000 * sum(counts[word] for word in members) / max(words, 1):6.1f} per 1,000 words: {name}")
        return 0
    if total:
        print(f"check-language: {total} findings", file=sys.stderr)
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
