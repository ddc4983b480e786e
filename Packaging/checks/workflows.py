"""Checks the workflows beyond their schema, and extracts their scripts.

    workflows.py FOLDER WORKFLOW...

Writes each `run:` step to a file in FOLDER, for shellcheck. Prints the mistakes, and exits with 1 if there are any.
"""

import pathlib
import re
import shlex
import sys

from ruamel.yaml import YAML

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

PINNED = re.compile(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
PATH = re.compile(r"(?<![\w./-])(?:\.ci|Scripts|Packaging|Sources|docs)/[\w./-]+")
REFERENCE = re.compile(r"\b(steps|matrix)\.([\w-]+)")


def targets():
    """Returns the targets of the Makefile."""
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def commands(script):
    """Yields the words of each command in a script, without redirections."""
    lexer = shlex.shlex(script.replace("\\\n", " "), posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace = " \t\r"
    words = []
    redirected = False
    for word in lexer:
        if set(word) <= set("<>&|();\n"):
            redirected = set(word) & set("<>") != set()
            if not redirected:
                yield words
                words = []
        elif redirected:
            redirected = False
        else:
            words.append(word)
    yield words


def made(script):
    """Yields the targets that a script passes to make."""
    for words in commands(script):
        while words and re.match(r"\w+=", words[0]):
            words.pop(0)
        if words[:1] == ["make"]:
            # The descriptor of a redirection is a word: 2>&1.
            yield from (word for word in words[1:] if re.match(r"[a-z][a-z-]*$", word))


def strings(node):
    """Yields all strings in a document."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for value in node.values():
            yield from strings(value)
    elif isinstance(node, list):
        for value in node:
            yield from strings(value)


def job_mistakes(job, jobs, shell):
    """Yields the mistakes in a job."""
    for key in ("permissions", "timeout-minutes"):
        if key not in job:
            yield f"{key} is missing"
    for name, access in (job.get("permissions") or {}).items():
        if access == "write" and job.get("if") != "github.ref_type == 'tag'":
            yield f"may write {name} although not only tags start it"
    needs = job.get("needs", [])
    for other in [needs] if isinstance(needs, str) else needs:
        if other not in jobs:
            yield f"needs the job {other}, which doesn't exist"

    matrix = job.get("strategy", {}).get("matrix", {})
    keys = set(matrix) | {key for entry in matrix.get("include", []) for key in entry}
    known = {"steps": set(), "matrix": keys}
    for step in job["steps"]:
        for text in strings(step):
            for kind, name in REFERENCE.findall(" ".join(re.findall(r"\$\{\{(.*?)\}\}", text))):
                if name not in known[kind]:
                    yield f"{kind}.{name} doesn't exist, or not yet"
        known["steps"].add(step.get("id"))
        if "run" not in step:
            continue
        if step.get("shell", shell) != "bash":
            yield "the shell of a step isn't bash"
        if "${{" in step["run"]:
            yield "an expression in a script could inject commands; use `env`"
        for target in made(step["run"]):
            if target not in targets():
                yield f"the Makefile has no target {target}"

    image = job.get("container", {}).get("image", "swift")
    dockerfile = (ROOT / "Packaging/docker/Dockerfile").read_text()
    if image.startswith("swift:") and f"FROM {image} " not in dockerfile:
        yield f"{image} isn't the image of the Dockerfile"


def mistakes(text, document):
    """Yields the mistakes in a workflow, each with its job or line."""
    for number, line in enumerate(text.split("\n"), 1):
        if "uses:" in line and not PINNED.search(line):
            yield f"{number}: an action isn't pinned to a commit, with its version as a comment"
        for path in PATH.findall(line):
            file = ROOT / path
            if not file.exists():
                yield f"{number}: {path} doesn't exist"
            elif path.startswith((".ci/", "Scripts/")) and not file.stat().st_mode & 0o100:
                yield f"{number}: {path} isn't executable"
    if document.get("permissions") != {}:
        yield "permissions aren't empty by default"
    shell = document.get("defaults", {}).get("run", {}).get("shell")
    for name, job in document["jobs"].items():
        for mistake in job_mistakes(job, document["jobs"], shell):
            yield f"{name}: {mistake}"


def main():
    folder = pathlib.Path(sys.argv[1])
    found = False
    for name in sys.argv[2:]:
        path = pathlib.Path(name)
        text = path.read_text()
        document = YAML(typ="safe").load(text)
        for mistake in mistakes(text, document):
            found = True
            print(f"{path.name}: {mistake}")
        for job, content in document["jobs"].items():
            for number, step in enumerate(content["steps"], 1):
                if "run" in step:
                    script = folder / f"{path.stem}-{job}-{number}.sh"
                    script.write_text(f"#!/usr/bin/env bash\nset -eo pipefail\n{step['run']}\n")
    sys.exit(1 if found else 0)


main()
