"""Hooks of schemathesis: generated requests name existing records and a running origin, and wait only briefly."""

import os
import zlib

import requests
import schemathesis
from hypothesis import strategies
from hypothesis.control import current_build_context
from schemathesis.core import NotSet

ORIGIN = os.environ["MEDIACACHE_API_ORIGIN"]
FILM = f"{ORIGIN}/film.mp4"
# The fixed records. No request removes them.
NAMES = {
    "resource": os.environ["MEDIACACHE_API_RESOURCE"],
    "asset": os.environ["MEDIACACHE_API_ASSET"],
    "channel": os.environ["MEDIACACHE_API_CHANNEL"],
    "programme": os.environ["MEDIACACHE_API_PROGRAMME"],
}
# No limits, and no repeated requests to an origin that refuses connections.
CACHE_SETTINGS = {
    "limits": {"maximumBytes": 0, "maximumAge": 0},
    "transfers": {"connectTimeout": 10, "responseTimeout": 30, "stallTimeout": 30, "retries": 0},
    "bandwidth": {"total": 0, "playback": 0, "recording": 0, "preload": 0, "background": 0},
}
# Names of records that don't exist.
MISSING = {"resource": "999999999", "asset": "aaaaaaaaaaaa", "channel": "none", "programme": "none"}

schemathesis.openapi.format(
    "uri",
    strategies.sampled_from(
        [f"{ORIGIN}/{name}" for name in ("film.mp4", "show.m3u8", "0.ts", "live.m3u8", "none.mp4", "a%20b?c=d&e")]
        + ["http://127.0.0.1:1/refused.mp4", "HTTP://user:word@127.0.0.1:1/refused.mp4"]
    ),
)
# Four absolute times, followed by three that are relative to the current time.
MOMENTS = ["0", "1769890500", "1769890500000", "2026-01-31T20:15:00Z", "-60", "-0.5", "now"]
schemathesis.openapi.format("moment", strategies.sampled_from(MOMENTS))
PICTURE = b"GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
PICTURES = [PICTURE, PICTURE + b"\x00"]
schemathesis.openapi.media_type("image/*", strategies.sampled_from(PICTURES))


def _replaced(value):
    """Replaces the origin of the examples with the test's own."""
    if isinstance(value, str):
        return value.replace("https://example.org", ORIGIN)
    if isinstance(value, dict):
        return {name: _replaced(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item) for item in value]
    return value


def _follows_links(case) -> bool:
    return case.meta is not None and case.meta.phase.name.value == "stateful"


def _coin(case) -> bool:
    """Returns whether to change a request: True for half of all requests, depending only on the request."""
    return zlib.crc32(repr((case.operation.label, case.query, case.body)).encode()) % 2 == 1


def _parameter(case) -> tuple[str, str] | None:
    """Returns the path parameter of the record that a request is about, and the kind of record."""
    if case.operation.path.startswith("/api/v1/preloads"):
        return None
    numbered = case.operation.path.startswith(("/api/v1/resources", "/api/v1/played"))
    kinds = (("programme", "programme"), ("name", "channel"), ("id", "resource" if numbered else "asset"))
    return next(((name, kind) for name, kind in kinds if name in (case.path_parameters or {})), None)


def _protect(case):
    """Changes a request that would remove a fixed record, or end the fixed recording."""
    found = _parameter(case)
    if case.method.upper() == "DELETE" and found and str(case.path_parameters[found[0]]) == NAMES[found[1]]:
        case.path_parameters[found[0]] = MISSING[found[1]]
    if case.query and str(case.query.get("pinned")) in ("true", "1", ""):
        case.query["pinned"] = "false"
    if isinstance(case.body, dict) and case.body.get("state") == "ended":
        if (case.path_parameters or {}).get("name") == NAMES["channel"]:
            case.body["state"] = "stopped"


def _name(case):
    """Makes half of the requests name fixed records. Doesn't change removals, nor the requests of the stateful phase,
    which name records of earlier responses."""
    found = _parameter(case)
    if not found or case.method.upper() == "DELETE" or _follows_links(case):
        return
    if _coin(case):
        case.path_parameters[found[0]] = NAMES[found[1]]
        if found[1] == "programme":
            case.path_parameters["name"] = NAMES["channel"]


def _order(window: dict):
    """Makes a window end after its start."""
    start, end = window.get("from"), window.get("to")
    if start is None or end is None:
        return
    if start not in MOMENTS or end not in MOMENTS or MOMENTS.index(start) // 4 >= MOMENTS.index(end) // 4:
        window |= {"from": "0", "to": "now"}


def _spoil(case):
    """Makes the body of an invalid request invalid where schemathesis generates only valid ones."""
    if case.operation.label == "PUT /api/v1/assets/{id}/cover" and case.body in PICTURES:
        case.body = b"no picture"
    elif case.operation.label == "POST /api/v1/verify" and isinstance(case.body, NotSet):
        case.media_type, case.body = "application/json", {}


def _relate(case):
    """Changes a valid request so that its values fit together, which a schema can't express."""
    label, query, body = case.operation.label, case.query, case.body
    if label == "POST /api/v1/tokens":
        if body["scope"] == "asset":
            body["asset"] = body.get("asset") or NAMES["asset"]
        body.pop("url" if body["scope"] == "asset" else "asset", None)
        if body.get("expires"):
            body["expires"] = "2099-01-31T20:00:00Z"
    elif label in ("POST /api/v1/preloads", "PUT /api/v1/preloads/{id}"):
        for amount in [name for name in ("seconds", "bytes", "segments") if body.get(name) is not None][1:]:
            del body[amount]
    elif label == "GET /api/v1/bundles":
        if "asset" not in query and "channel" not in query:
            query["asset"] = NAMES["asset"]
        _order(query)
    elif label == "POST /api/v1/bundles":
        for part in body["contents"]["parts"]:
            if part.get("range"):
                part["range"] = sorted(part["range"])
    elif label == "PUT /api/v1/bundles/{id}/{part}":
        query["offset"] = int(query["offset"]) % 2**40
        query["length"] = query["offset"] + len(body)
    elif label == "POST /api/v1/channels/{name}/programmes":
        _order(body)


_sequence = None


def _begin():
    """Removes all channels, assets and tokens but the fixed ones and all unpinned resources, restores the settings, and
    adds the film as a resource, before the first request of each sequence that follows links. Hypothesis ends the phase
    if a sequence has a different result when it is repeated."""
    global _sequence
    if current_build_context() is _sequence:
        return
    _sequence = current_build_context()
    for path, name, fixed in (
        ("channels", "name", NAMES["channel"]), ("assets", "id", NAMES["asset"]), ("tokens", "id", "standing"),
    ):  # fmt: skip
        for record in _ask("GET", path).json()[path]:
            if record[name] != fixed:
                _ask("DELETE", f"{path}/{record[name]}")
    _ask("DELETE", "resources?pinned=false")
    _ask("PUT", "settings/downloads", json={})
    _ask("PATCH", "settings/cache", json=CACHE_SETTINGS)
    _ask("PATCH", f"channels/{NAMES['channel']}", json={"state": "stopped"})
    _ask("POST", "probe", json={"url": FILM})


def _ask(method: str, path: str, **options) -> requests.Response:
    """Sends a request that isn't checked."""
    headers = {"Authorization": f"Bearer {os.environ['MEDIACACHE_API_KEY']}"}
    url = f"{os.environ['MEDIACACHE_API_ADDRESS']}/api/v1/{path}"
    response = requests.request(method, url, headers=headers, timeout=30, **options)
    response.raise_for_status()
    return response


@schemathesis.hook
def before_call(context, case, kwargs):
    """Adjusts a request of any phase before it is sent."""
    if _follows_links(case):
        _begin()
    case.body = _replaced(case.body)
    if case.meta and case.meta.generation.mode.is_positive:
        _name(case)
        _relate(case)
        if case.headers and "If-Match" in case.headers and _coin(case):
            case.headers["If-Match"] = "*"
        if case.query and "wait" in case.query:
            case.query["wait"] = "10"
        # Only the server creates valid cursors; walk.py uses them.
        if case.query:
            case.query.pop("after", None)
        # The links apply only to the response for a single URL.
        if case.operation.label == "GET /api/v1/resources" and _follows_links(case):
            case.query = {"url": FILM}
    elif case.meta:
        _spoil(case)
    _protect(case)


@schemathesis.hook
def after_call(context, case, response):
    """Sets the cover of the fixed asset again after all covers were removed."""
    if case.operation.label == "DELETE /api/v1/covers" and response.status_code == 200:
        _ask("PUT", f"assets/{NAMES['asset']}/cover", data=PICTURE)
