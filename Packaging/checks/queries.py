"""Compares the queries of dashboards and alerts with the /metrics of a server.

    queries.py names METRICS FILE...       checks that METRICS contains all metrics, labels and label values of queries
    queries.py ask PROMETHEUS FILE...      checks that no query fails, and that the queries of panels return data

FILE is a Grafana dashboard (.json) or a Prometheus rules file (.yml). Prints the problems, and fails if there are any.
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
# The labels that Prometheus adds to all metrics, and the metric that it adds.
OWN_LABELS = {"job", "instance"}
OWN_METRICS = {"up": {"job": set(), "instance": set()}}


def panel_queries(dashboard):
    """Yields the location and text of each query in a dashboard's panels and variables."""
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield f"panel “{panel['title']}”", target["expr"]
    for variable in dashboard["templating"]["list"]:
        match = re.fullmatch(r"label_values\((.*), *(\w+)\)", str(variable.get("definition", "")))
        if match:
            yield f"variable ${variable['name']}", f"count by ({match[2]}) ({match[1]})"


def rule_queries(text):
    """Yields the name and expression of each alert. Supports only the YAML syntax that the rules file uses."""
    for match in re.finditer(r"- alert: (\w+)\n +expr: (?:>-\n((?: {10,}.*\n)+)|(.*)\n)", text):
        yield f"alert {match[1]}", " ".join((match[2] or match[3]).split())


def queries(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = list(panel_queries(json.loads(text)) if path.endswith(".json") else rule_queries(text))
    if not found or len(found) < text.count("- alert:"):
        sys.exit(f"{path}: only {len(found)} queries found")
    return [(f"{path}: {place}", expression) for place, expression in found]


def expanded(expression):
    """Returns a query with its variables replaced, as Grafana would send it."""
    return re.sub(r"\$(job|instance)\b", ".+", expression).replace("$__rate_interval", "5s")


def named(expression):
    """Returns the metrics in a query with their matchers, and the labels by which it groups."""
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
            continue  # an operator, a function or an aggregation
        else:
            matchers = re.match(r"\{((?:[^\"}]|\"[^\"]*\")*)\}", rest)
            if matchers:
                at = text.index("{", at) + matchers.end()
            metrics.append((word, re.findall(r"(\w+)\s*(=~|!~|!=|=)\s*\"([^\"]*)\"", matchers[1]) if matchers else []))
        window = re.match(r"\s*\[[^\]]*\]", text[at:])
        at += window.end() if window else 0
    return metrics, groups


def exposed(metrics_text):
    """Returns the labels of each metric, with their values, in a text in Prometheus' format."""
    found = {name: dict(labels) for name, labels in OWN_METRICS.items()}
    for line in metrics_text.splitlines():
        match = re.match(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$", line)
        if line.startswith("#") or not match:
            continue
        labels = found.setdefault(match[1], {})
        for label, value in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match[2] or ""):
            labels.setdefault(label, set()).add(value)
    return found


def misnamed(expression, metrics_with_labels):
    """Yields a message for each metric, label and value in a query that doesn't exist."""
    metrics, groups = named(expression)
    if not metrics:
        yield "no metric in the query"
    for name, matchers in metrics:
        if name not in metrics_with_labels:
            yield f"no metric {name}"
            continue
        for label, operator, value in matchers:
            if label in OWN_LABELS:
                continue
            values = metrics_with_labels[name].get(label)
            if values is None:
                yield f"{name} has no label {label}"
            elif operator in ("=", "!=") and value not in values:
                yield f"{name} has no {label}=\"{value}\""
            elif operator in ("=~", "!~"):
                for part in value.split("|"):
                    if not any(re.fullmatch(part, one) for one in values):
                        yield f"no {label} of {name} matches {part}"
    known = OWN_LABELS.union(*(metrics_with_labels.get(name, {}).keys() for name, _ in metrics))
    for label in sorted(groups - known):
        yield f"the query groups by {label}, which isn't a label of its metrics"


def check_names(metrics_file, files):
    with open(metrics_file, encoding="utf-8") as file:
        metrics = exposed(file.read())
    return [
        f"{place}: {problem}"
        for path in files for place, expression in queries(path)
        for problem in misnamed(expanded(expression), metrics)
    ]


def ask(prometheus, expression):
    query = urllib.parse.urlencode({"query": expression})
    try:
        with urllib.request.urlopen(f"{prometheus}/api/v1/query?{query}", timeout=10) as response:
            return json.load(response)["data"]["result"], None
    except urllib.error.HTTPError as error:
        return [], json.load(error)["error"]


def check_answers(prometheus, files):
    problems = []
    for path in files:
        for place, expression in queries(path):
            result, error = ask(prometheus, expanded(expression))
            if error:
                problems.append(f"{place}: {error}")
            elif not result and path.endswith(".json"):
                problems.append(f"{place}: no data for {expression}")
    return problems


if __name__ == "__main__":
    check = {"names": check_names, "ask": check_answers}[sys.argv[1]]
    problems = check(sys.argv[2], sys.argv[3:])
    print("\n".join(problems) or f"{sum(len(queries(path)) for path in sys.argv[3:])} queries are valid")
    sys.exit(1 if problems else 0)
