"""Compares the queries of dashboards and alerts with what a server's /metrics really has.

    queries.py names METRICS FILE...       each metric, label and label's value that a query names is in METRICS
    queries.py ask PROMETHEUS FILE...      no query is an error; those of panels have data

FILE is a dashboard of Grafana (.json) or rules of Prometheus (.yml). Prints what is wrong, and fails.
"""

import json
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

IDENTIFIER = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
KEYWORDS = {"and", "or", "unless", "bool", "offset", "inf", "nan"}
GROUPING = {"by", "without", "on", "ignoring", "group_left", "group_right"}
# Prometheus puts these on what it collects; `up` it makes itself.
OWN_LABELS = {"job", "instance"}
OWN_METRICS = {"up": {"job": set(), "instance": set()}}


def panel_queries(dashboard):
    """The queries of a dashboard's panels and variables, each with its place."""
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield f"panel “{panel['title']}”", target["expr"]
    for variable in dashboard["templating"]["list"]:
        match = re.fullmatch(r"label_values\((.*), *(\w+)\)", str(variable.get("definition", "")))
        if match:
            yield f"variable ${variable['name']}", f"count by ({match[2]}) ({match[1]})"


def rule_queries(text):
    """The expressions of a file of rules, by the little of YAML that it uses."""
    for match in re.finditer(r"- alert: (\w+)\n +expr: (?:>-\n((?: {10,}.*\n)+)|(.*)\n)", text):
        yield f"alert {match[1]}", " ".join((match[2] or match[3]).split())


def queries(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = list(panel_queries(json.loads(text)) if path.endswith(".json") else rule_queries(text))
    if not found or len(found) < text.count("- alert:"):
        sys.exit(f"{path}: {len(found)} queries found, which isn't all")
    return [(f"{path}: {place}", expression) for place, expression in found]


def expanded(expression, pattern=".+"):
    """A query as Grafana sends it."""
    expression = re.sub(r"\$(job|instance)\b", pattern, expression)
    return expression.replace("$__rate_interval", "5s")


def named(expression):
    """What a query names: metrics with their matchers, and the labels that it groups by."""
    metrics, groups, text, at = [], set(), expression, 0
    while match := IDENTIFIER.search(text, at):
        word, at = match[0], match.end()
        rest = text[at:].lstrip()
        if word in GROUPING:
            inside = re.match(r"\(([^)]*)\)", rest)
            if inside:
                groups |= set(IDENTIFIER.findall(inside[1]))
                at = text.index(")", at) + 1
        elif word in KEYWORDS or rest.startswith("(") or re.match(r"(by|without)\b", rest):
            continue  # an operator, a function, an aggregation
        else:
            matchers = re.match(r"\{((?:[^\"}]|\"[^\"]*\")*)\}", rest)
            if matchers:
                at = text.index("{", at) + matchers.end()
            metrics.append((word, re.findall(r"(\w+)\s*(=~|!~|!=|=)\s*\"([^\"]*)\"", matchers[1]) if matchers else []))
        window = re.match(r"\s*\[[^\]]*\]", text[at:])
        at += window.end() if window else 0
    return metrics, groups


def kept(metrics_text):
    """The metrics of a text in Prometheus' format: for each name, its labels and their values."""
    found = {name: dict(labels) for name, labels in OWN_METRICS.items()}
    for line in metrics_text.splitlines():
        match = re.match(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$", line)
        if line.startswith("#") or not match:
            continue
        labels = found.setdefault(match[1], {})
        for label, value in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match[2] or ""):
            labels.setdefault(label, set()).add(value)
    return found


def misnamed(expression, there):
    """What a query names and isn't there, in words."""
    metrics, groups = named(expression)
    if not metrics:
        yield "it names no metric"
    for name, matchers in metrics:
        if name not in there:
            yield f"there is no metric {name}"
            continue
        for label, operator, value in matchers:
            if label in OWN_LABELS:
                continue
            if label not in there[name]:
                yield f"{name} has no label {label}"
            elif operator in ("=", "!=") and value not in there[name][label]:
                yield f"{name} has no {label}=\"{value}\""
            elif operator in ("=~", "!~"):
                for part in value.split("|"):
                    if not any(re.fullmatch(part, one) for one in there[name][label]):
                        yield f"no {label} of {name} is like {part}"
    known = OWN_LABELS.union(*(there.get(name, {}).keys() for name, _ in metrics))
    for label in sorted(groups - known):
        yield f"it groups by {label}, which none of its metrics has"


def check_names(metrics_file, files):
    with open(metrics_file, encoding="utf-8") as file:
        there = kept(file.read())
    return [
        f"{place}: {trouble}"
        for path in files for place, expression in queries(path)
        for trouble in misnamed(expanded(expression), there)
    ]


def ask(prometheus, expression):
    query = urllib.parse.urlencode({"query": expression})
    try:
        with urllib.request.urlopen(f"{prometheus}/api/v1/query?{query}", timeout=10) as response:
            return json.load(response)["data"]["result"], None
    except urllib.error.HTTPError as error:
        return [], json.load(error)["error"]


def check_answers(prometheus, files):
    troubles = []
    for path in files:
        for place, expression in queries(path):
            result, error = ask(prometheus, expanded(expression))
            if error:
                troubles.append(f"{place}: {error}")
            elif not result and path.endswith(".json"):
                troubles.append(f"{place}: no data for {expression}")
    return troubles


if __name__ == "__main__":
    check = {"names": check_names, "ask": check_answers}[sys.argv[1]]
    troubles = check(sys.argv[2], sys.argv[3:])
    print("\n".join(troubles) or f"{sum(len(queries(path)) for path in sys.argv[3:])} queries are right")
    sys.exit(1 if troubles else 0)
