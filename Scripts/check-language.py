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
    r"|is told|are told|comes? of it|besides what|minds? the|stands|stand in|or else"
    r"|(?<!some )(?<!one )(?<!two )(?<!each )(?<!none )(?<!all )(?<!most )(?<!first )(?<!second )(?<!last )of which)\b"
    r"|[,;:] else\b",
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
CODE = HASH_COMMENTS | {".swift", ".c", ".h", ".js", ".css"}
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


# A comment, a literal of several lines, or a literal of one line, in this order. A literal's text is in a group.
SWIFT_TOKENS = re.compile(
    r"""(?P<doc>///[^\n]*)|(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)"""
    r"""|#*\"\"\"(?P<lines>.*?)\"\"\"|"(?P<text>(?:[^"\\\n]|\\.)*)\"""", re.DOTALL)
C_TOKENS = re.compile(
    r"""(?P<line>//[^\n]*)|(?P<doc>/\*\*.*?\*/)|(?P<block>/\*.*?\*/)|"(?P<text>(?:[^"\\\n]|\\.)*)\"""", re.DOTALL)
# In JavaScript, a regular expression may contain quotation marks. It begins after an operator or a bracket.
JS_TOKENS = re.compile(
    r"""(?P<line>//[^\n]*)|(?P<doc>/\*\*.*?\*/)|(?P<block>/\*.*?\*/)"""
    r"""|(?<=[=(,:?&|!;\s])/(?![/*\s])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*"""
    r"""|"(?P<text>(?:[^"\\\n]|\\.)*)"|'(?P<single>(?:[^'\\\n]|\\.)*)'|`(?P<lines>(?:[^`\\]|\\.)*)`""", re.DOTALL)
CSS_TOKENS = re.compile(r"""(?P<block>/\*.*?\*/)""", re.DOTALL)
TOKENS = {".swift": SWIFT_TOKENS, ".c": C_TOKENS, ".h": C_TOKENS, ".js": JS_TOKENS, ".css": CSS_TOKENS}
# A text for users has at least two words, and not only symbols.
SENTENCE = re.compile(r"[A-Za-z]{2,} [a-z]")
MARKUP = re.compile(r"<(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>")
ATTRIBUTE = re.compile(r"\b(?:alt|aria-label|content|placeholder|title)=\"([^\"]*)\"")


def passages(path):
    """Yields (line number, text, whether a doc comment begins here) for each line of prose in a file."""
    text = path.read_text(errors="replace")
    if path.suffix in TOKENS:
        yield from tokens(text, TOKENS[path.suffix])
    elif path.suffix == ".html":
        yield from markup(text)
    elif path.suffix in PROSE:
        for number, line in enumerate(text.split("\n"), 1):
            yield number, line, False
    else:
        for number, line in enumerate(text.split("\n"), 1):
            stripped = line.strip()
            if stripped.startswith("#"):
                yield number, stripped.lstrip("#! "), False
                continue
            # Messages and help texts. `make help` prints the texts after the targets of the Makefile.
            if path.name == "Makefile" and " ## " in line:
                yield number, line.partition(" ## ")[2], False
            for literal in re.findall(r'"((?:[^"\\]|\\.)*[A-Za-z]{2,} [a-z](?:[^"\\]|\\.)*)"', line):
                yield number, literal, False


def tokens(text, pattern):
    """Yields the lines of the comments and literals of a source file, as `passages` does."""
    number, position, last_doc = 1, 0, None
    for token in pattern.finditer(text):
        number += text.count("\n", position, token.start())
        position = token.start()
        kind = token.lastgroup
        if kind is None:
            continue
        is_literal = kind in ("text", "single", "lines")
        opens = kind == "doc" and last_doc != number - 1
        for offset, line in enumerate(token.group(kind).split("\n")):
            if kind == "doc":
                last_doc = number + offset
            line = line.strip() if is_literal else line.strip().lstrip("/*! ").removesuffix("*/").rstrip()
            if not line or is_literal and not SENTENCE.search(line):
                continue
            yield number + offset, line, opens
            opens = False


def markup(text):
    """Yields the lines of the text and of the described attributes of a document, without scripts and styles."""
    text = re.sub(r"(?s)<(script|style)\b.*?</\1>|<!--.*?-->", lambda match: "\n" * match.group(0).count("\n"), text)
    for number, line in enumerate(text.split("\n"), 1):
        for attribute in ATTRIBUTE.findall(line):
            yield number, attribute, False
    plain = MARKUP.sub(lambda match: "\n" * match.group(0).count("\n"), text)
    for number, line in enumerate(plain.split("\n"), 1):
        if line.strip():
            yield number, line, False


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
