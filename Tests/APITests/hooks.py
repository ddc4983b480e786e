"""Hooks of schemathesis: generated requests name existing records and a running origin, and wait only briefly."""

import os
import zlib

import schemathesis
from hypothesis import strategies

ORIGIN = os.environ["MEDIACACHE_API_ORIGIN"]
NAMES = {
    "resource": os.environ["MEDIACACHE_API_RESOURCE"],
    "asset": os.environ["MEDIACACHE_API_ASSET"],
    "channel": os.environ["MEDIACACHE_API_CHANNEL"],
    "programme": os.environ["MEDIACACHE_API_PROGRAMME"],
}

schemathesis.openapi.format(
    "uri",
    strategies.sampled_from(
        [f"{ORIGIN}/{name}" for name in ("film.mp4", "show.m3u8", "0.ts", "live.m3u8", "none.mp4", "a%20b?c=d&e")]
        + ["http://127.0.0.1:1/refused.mp4", "HTTP://user:word@127.0.0.1:1/refused.mp4"]
    ),
)
schemathesis.openapi.format(
    "moment",
    strategies.sampled_from(["now", "-60", "-0.5", "0", "1769890500", "1769890500000", "2026-01-31T20:15:00Z"]),
)
PICTURE = b"GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
schemathesis.openapi.media_type("image/*", strategies.sampled_from([PICTURE, PICTURE + b"\x00"]))


def _replaced(value):
    """Replaces the origin of the examples with the test's own."""
    if isinstance(value, str):
        return value.replace("https://example.org", ORIGIN)
    if isinstance(value, dict):
        return {name: _replaced(item) for name, item in value.items()}
    return value


@schemathesis.hook
def before_call(context, case, kwargs):
    """Adjusts a request of any phase before it is sent."""
    case.body = _replaced(case.body)
    if not case.meta or not case.meta.generation.mode.is_positive:
        return
    path, query, names = case.operation.path, case.query, case.path_parameters
    is_destructive = case.method.upper() == "DELETE" and not path.endswith("/pin")
    # Half of the requests name existing records, except deletions, after which the others would get only 404.
    for parameter, name in (("id", "asset"), ("name", "channel"), ("programme", "programme")):
        if names and parameter in names and not is_destructive and zlib.crc32(str(case.id).encode()) % 2:
            is_number = path.startswith(("/api/v1/resources", "/api/v1/played"))
            names[parameter] = NAMES["resource" if is_number else name]
    if is_destructive and query and "pinned" in query:
        query["pinned"] = "false"
    if isinstance(case.body, dict) and case.body.get("state") == "ended":
        case.body["state"] = "stopped"
    if query and "wait" in query:
        query["wait"] = "10"
    # Only the server creates valid cursors; walk.py uses them.
    if query:
        query.pop("after", None)
