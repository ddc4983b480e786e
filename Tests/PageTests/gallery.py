"""A sample library: videos, a song, downloads in several states, and a channel with programmes and a gap."""

import time
from urllib.parse import quote, urljoin
from urllib.request import urlopen

from live import LiveStream
from origin import Origin
from server import Server

COMPLETE = {"Harbour lights": "harbour", "A walk along the river": "river", "Snow on the pass": "snow",
            "Market day": "market", "The last tramways": "trams", "Birds of the estuary": "birds"}
STREAM = "Colours at night"
COVERED = {**COMPLETE, STREAM: "night"}
RUNNING = "Autumn, part one"
PAUSED = "Autumn, part two"
FAILED = "Lost in the archive"
SONG = "A song without words"
WITH_HOLES = "A film with a scratch"
CHANNEL = "evening"
PROGRAMMES = ("News at eight", "The long evening")


class Gallery:
    """Fills a server's library through its API. `assets` maps titles to asset IDs."""

    def __init__(self, server: Server, origin: Origin):
        self.server, self.origin = server, origin
        self.stream = LiveStream(origin, gaps=[70])
        origin.answer("scratched/v240/index5.m4s", 404, "gone")
        origin.aliases["/scratched"] = "/film"
        self.assets: dict[str, str] = {}
        server.api("POST", "channels", {"name": CHANNEL, "url": self.stream.url, "retention": {"seconds": 86400}})
        for title, cover in COMPLETE.items():
            origin.aliases[f"/{cover}.mp4"] = "/clip.mp4"
            self._add(title, f"{cover}.mp4")
        self._add(SONG, "song.m4a")
        self._add(STREAM, "film/index.m3u8", variant="540", audio="all")
        self._add(WITH_HOLES, "scratched/index.m3u8", variant="240")
        self._add(FAILED, "archive/lost.mp4")
        states = {**dict.fromkeys((*COMPLETE, SONG, STREAM), "complete"),
                  FAILED: "failed", WITH_HOLES: "completeWithHoles"}
        self._wait_for_downloads(
            lambda records: all(records[title]["state"] == state for title, state in states.items()))
        for title, cover in COVERED.items():
            picture = (origin.folder / "covers" / f"{cover}.jpg").read_bytes()
            server.api("PUT", f"assets/{self.assets[title]}/cover", picture)
        origin.aliases["/sunday-walk"] = "/film"
        self._play("sunday-walk/index.m3u8", 7)
        self._make_programmes()
        origin.aliases.update({"/autumn-1": "/film", "/autumn-2": "/film"})
        # Both receive some data quickly. Then one of them continues slowly, and the other is paused.
        origin.rate = 600_000
        self._add(RUNNING, "autumn-1/index.m3u8", variant="360")
        self._add(PAUSED, "autumn-2/index.m3u8", variant="360")
        self._wait_for_downloads(lambda records: all(records[title]["bytes"] > 400_000 for title in (RUNNING, PAUSED)))
        server.api("PATCH", f"downloads/{self.assets[PAUSED]}", {"state": "paused"})
        origin.rate = 20_000
        self._wait_for_downloads(lambda records: records[PAUSED]["state"] == "paused")

    def _add(self, title: str, path: str, **choice: str):
        body = {"url": self.origin.url(path), "title": title, **choice}
        self.assets[title] = self.server.api("POST", "downloads", body)["id"]

    def _play(self, path: str, segments: int):
        """Reads the first segments of a stream, like a player that stops early."""
        url = self.server.api("GET", "urls?url=" + quote(self.origin.url(path), safe=""))["playURL"]
        while True:
            with urlopen(url) as answer:
                names = [line for line in answer.read().decode().splitlines() if line and not line.startswith("#")]
            if "m3u8" not in names[0]:
                break
            url = urljoin(url, names[0])
        for name in names[:segments]:
            urlopen(urljoin(url, name)).read()

    def _wait_for_downloads(self, condition):
        self._wait(self.server.downloads, condition)

    def _wait(self, read, condition):
        limit = time.monotonic() + 180
        while not condition(found := read()):
            if time.monotonic() > limit:
                raise AssertionError(f"the gallery isn't complete after three minutes: {found}")
            time.sleep(0.1)

    def _make_programmes(self):
        """Adds two programmes as soon as four minutes are recorded, which is enough for both."""
        self._wait(lambda: self.server.recorded(CHANNEL), lambda recorded: recorded > 240_000)
        first = self.server.api("GET", f"channels/{CHANNEL}")["recordedRanges"][0]["from"]
        for index, name in enumerate(PROGRAMMES):
            begin = first + 20_000 + index * 140_000
            self.server.api("POST", f"channels/{CHANNEL}/programmes", {
                "name": name, "from": str(begin), "to": str(begin + 60_000), "formats": ["mp4"]})


def views(gallery: Gallery) -> dict[str, str]:
    """Returns the addresses of the page's views, by the names of their screenshots."""
    return {
        "library": "#/library",
        "player": f"#/play/asset/{gallery.assets[STREAM]}",
        "downloading": f"#/play/asset/{gallery.assets[RUNNING]}",
        "url": "#/play/url/" + quote(gallery.origin.url("song.m4a"), safe=""),
        "downloads": "#/downloads",
        "channels": "#/channels",
        "channel": f"#/channels/{CHANNEL}",
        "played": "#/played",
        "storage": "#/storage",
        "settings": "#/settings",
    }
