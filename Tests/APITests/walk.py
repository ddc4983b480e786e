"""A walk through all operations of the API, with valid requests and some invalid ones."""

import base64
import json
import time
from urllib.parse import parse_qsl, urljoin

import requests

from description import Description
from origin import Origin
from server import Server

# A GIF of one pixel.
PICTURE = base64.b64decode("R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=")


class Fault(Exception):
    """A difference between the server and the description."""


class Walk:
    """A walk that compares each response with the description. `reached` has the operations that succeeded."""

    def __init__(self, server: Server, origin: Origin, description: Description):
        self.server, self.origin, self.description = server, origin, description
        self.reached: set[tuple[str, str]] = set()

    def ask(self, method: str, template: str, *, status=(200,), query: dict | None = None, **options):
        """Sends a request, compares the response with the description, and returns it."""
        names = options.pop("names", {})
        path = template.format(**names)
        answer = self.server.ask(method, path, params=query, **options)
        where = f"{method} {path}"
        if answer.status_code not in status:
            raise Fault(f"{where}: {answer.status_code} {answer.text[:300]}")
        faults = self.description.faults(method, template, answer)
        if faults:
            raise Fault(f"{where}: {'; '.join(faults)}\n{answer.text[:600]}")
        if answer.ok:
            self.reached.add((method, template))
        if method == "GET" and answer.status_code == 200 and template not in MOVING:
            self._read_again(where, path, query, answer)
        return answer

    def _read_again(self, where: str, path: str, query: dict | None, answer: requests.Response):
        again = self.server.ask("GET", path, params=query, headers={"If-None-Match": answer.headers["ETag"]})
        if again.status_code != 304 and again.content == answer.content:
            raise Fault(f"{where}: {again.status_code} instead of 304")
        if self.server.ask("HEAD", path, params=query).content:
            raise Fault(f"HEAD of {path} has content")

    # Content for the operations.

    def play(self, name: str):
        """Plays a file, so that it is cached."""
        link = self.ask("GET", "/api/v1/urls", query={"url": self.origin.url(name)}).json()["playURL"]
        requests.get(link, timeout=60).raise_for_status()

    def download(self, name: str) -> dict:
        """Downloads a file or a stream completely."""
        body = {"url": self.origin.url(name), "title": f"A {name}"}
        record = self.ask("POST", "/api/v1/downloads", status=(200, 201), json=body).json()
        for _ in range(60):
            if record["state"] in ("complete", "failed", "completeWithHoles"):
                break
            record = self.ask(
                "GET", "/api/v1/downloads/{id}", names={"id": record["id"]}, query={"wait": "1000"}
            ).json()  # fmt: skip
        if record["state"] != "complete":
            raise Fault(f"the download of {name} isn't complete: {record}")
        return record

    def stream(self, folder: str, names: dict[str, str]):
        """Reads the tracks of a stream, and the list of segments, the first fragment and the subtitles of each track."""
        tracks = self.ask("GET", f"{folder}/media.json", names=names).json()["tracks"]
        if {track["kind"] for track in tracks} != {"video", "text"}:
            raise Fault(f"{folder}: the stream doesn't have video and subtitles: {tracks}")

        def read(reference: str):
            path, _, query = reference.replace("{query}", "").partition("?")
            track, playlist, file = path.split("/")
            template = folder + "/{track}/{playlist}/{fragment}"
            parts = names | {"track": track, "playlist": playlist, "fragment": file}
            return self.ask("GET", template, names=parts, query=dict(parse_qsl(query)))

        self._read_tracks(tracks, read)

    def played_stream(self, name: str):
        """Reads the tracks of a stream at a play URL, and their files. The description has no paths of play URLs."""
        link = self.ask("GET", "/api/v1/urls", query={"url": self.origin.url(name)}).json()["playURL"]
        media = link.replace("/http/", ";fragments=media.json/http/")

        def read(reference: str):
            answer = requests.get(urljoin(media, reference.replace("{query}", "")), timeout=60)
            answer.raise_for_status()
            return answer

        tracks = read(media).json()
        self._match("Stream", tracks)
        self._read_tracks(tracks["tracks"], read)

    def _read_tracks(self, tracks: list[dict], read):
        for track in tracks:
            segments = read(track["segments"]).json()
            self._match("Segments", segments)
            if "fragments" in track:
                read(track["fragments"].replace("{segment}", str(segments["segments"][0]["number"])))
            if "cues" in track:
                cues = read(track["cues"]).json()
                self._match("Cues", cues)
                if not any(segment["cues"] for segment in cues["segments"]):
                    raise Fault(f"there are no subtitles: {cues}")

    def _match(self, schema: str, value):
        faults = self.description.errors({"$ref": f"#/components/schemas/{schema}"}, value)
        if faults:
            raise Fault(f"a response doesn't match {schema}: {faults}\n{str(value)[:600]}")

    def record(self, name: str, stream: str = "live.m3u8") -> dict:
        """Records the live stream until it has some segments."""
        body = {"name": name, "url": self.origin.url(stream), "retention": {"seconds": 3600}}
        channel = self.ask("POST", "/api/v1/channels", status=(200, 201), json=body).json()
        for _ in range(120):
            if channel["segments"] > 3:
                return channel
            time.sleep(0.5)
            channel = self.ask("GET", "/api/v1/channels/{name}", names={"name": name}).json()
        raise Fault(f"nothing is recorded: {channel}")

    def fix(self) -> dict[str, str]:
        """Creates one record of each kind, which generated requests don't remove, and returns the names. Their URLs have
        a query, since generated requests add and remove records with the plain URLs."""
        asset = self.download("show.m3u8?fixed")["id"]
        self.ask("PUT", "/api/v1/assets/{id}/cover", names={"id": asset}, data=PICTURE, headers=GIF)
        playlist = self.ask("GET", "/api/v1/resources", query={"url": self.origin.url("show.m3u8?fixed")}).json()
        self.record("fixed", "live.m3u8?fixed")
        programme = self.ask(
            "POST", "/api/v1/channels/{name}/programmes", names={"name": "fixed"}, status=(201,),
            json={"name": "Some seconds", "from": "-3", "to": "now", "formats": ["hls"]},
        ).json()  # fmt: skip
        return {
            "resource": str(playlist["id"]), "asset": asset, "channel": "fixed", "programme": programme["id"],
        }  # fmt: skip

    def find(self, names: dict[str, str]):
        """Asserts that the records of `fix` still exist."""
        self.ask("GET", "/api/v1/resources/{id}", names={"id": names["resource"]})
        self.ask("GET", "/api/v1/assets/{id}", names={"id": names["asset"]})
        self.ask("GET", "/api/v1/assets/{id}/cover", names={"id": names["asset"]})
        self.ask("GET", "/api/v1/downloads/{id}", names={"id": names["asset"]})
        one = {"name": names["channel"], "programme": names["programme"]}
        self.ask("GET", "/api/v1/channels/{name}", names=one)
        self.ask("GET", "/api/v1/channels/{name}/programmes/{programme}", names=one)

    # The parts of the walk.

    def all(self):
        for part in (self.server_itself, self.errors, self.resources, self.played, self.library, self.downloads,
                    self.channels, self.bundles, self.events, self.tokens, self.documents, self.ends):  # fmt: skip
            part()
        missed = sorted(self.description.operations - self.reached)
        if missed:
            raise Fault("never reached: " + ", ".join(" ".join(operation) for operation in missed))

    def server_itself(self):
        self.ask("POST", "/api/v1/prune")
        self.ask("POST", "/api/v1/verify", json={"repair": False})
        self.ask("POST", "/api/v1/verify", json={"repair": "no"}, status=(400,))
        self.ask("POST", "/api/v1/verify")
        profile = {"origin": self.origin.address, "headers": {"X-Test": "1"}}
        self.ask("PUT", "/api/v1/header-profiles", json=profile, status=(204,))
        self.ask("PUT", "/api/v1/header-profiles", json=profile | {"headers": {}}, status=(204,))
        for name in ("film.mp4", "show.m3u8", "live.m3u8"):
            self.ask("POST", "/api/v1/probe", json={"url": self.origin.url(name)})
        self.ask("POST", "/api/v1/probe", json={"url": self.origin.url("none.mp4")}, status=(404,))

        self.preloads()

    def preloads(self):
        request = {"urls": [self.origin.url("film.mp4"), self.origin.url("show.m3u8")], "seconds": 2}
        names = {"id": self.ask("POST", "/api/v1/preloads", json=request, status=(201,)).json()["id"]}
        self.ask("GET", "/api/v1/preloads")
        self.ask("GET", "/api/v1/preloads/{id}", names=names)
        self.ask("PUT", "/api/v1/preloads/{id}", names=names, json={"urls": request["urls"][:1], "bytes": 1000})
        self.ask("DELETE", "/api/v1/preloads/{id}", names=names, status=(204,))

    def errors(self):
        """Asserts that error responses have problem documents."""
        problem = {"$ref": "#/components/schemas/Problem"}
        requests_with_status = [
            ("GET", "/api/v1/none", {}, 404),
            ("GET", "/api/v1/server", {"headers": {"Authorization": "Bearer no"}}, 401),
            ("GET", "/api/v1/events", {"headers": {"Authorization": ""}}, 401),
            ("TRACE", "/api/v1/events", {}, 405),
            ("OPTIONS", "/api/v1/server", {}, 405),
            ("GET", "/api/v1/resources?limit=0", {}, 400),
            ("GET", "/api/v1/resources?after=nothing", {}, 400),
            ("POST", "/api/v1/downloads", {"data": b"{"}, 400),
            ("PUT", "/api/v1/settings/downloads", {"json": {}, "headers": {"If-Match": '"old"'}}, 412),
            # Announces content above the limit, but sends none. The server would close the connection during the
            # content, so the response could be lost.
            ("PUT", "/api/v1/assets/aaaaaaaaaaaa/cover", {"headers": {"Content-Length": str(33 << 20)}}, 413),
        ]
        for method, path, options, status in requests_with_status:
            answer = self.server.ask(method, path, **options)
            if answer.status_code != status or answer.headers["Content-Type"] != "application/problem+json":
                raise Fault(f"{method} {path}: {answer.status_code} {answer.headers} {answer.text[:200]}")
            faults = self.description.errors(problem, answer.json())
            if faults or answer.json()["status"] != status or (status == 405) != ("Allow" in answer.headers):
                raise Fault(f"{method} {path}: {faults} {answer.headers} {answer.text[:200]}")

    def resources(self):
        for name in ("film.mp4", "0.ts", "1.ts"):
            self.play(name)
        whole = self.ask("GET", "/api/v1/resources").json()["resources"]
        one = {"id": whole[0]["id"]}
        self.ask("GET", "/api/v1/resources", query={"url": whole[0]["url"]})
        self.ask("GET", "/api/v1/resources", query={"url": self.origin.url("none")}, status=(404,))
        self.ask("GET", "/api/v1/resources/{id}", names=one, query={"file": "true"})
        self.ask("PUT", "/api/v1/resources/{id}/pin", names=one)
        self.ask("DELETE", "/api/v1/resources/{id}/pin", names=one)
        self.pages("/api/v1/resources", "resources", [resource["id"] for resource in whole], "id")
        self.ask("DELETE", "/api/v1/resources/{id}", names=one)
        self.ask("DELETE", "/api/v1/resources/{id}", names=one, status=(404,))

    def played(self):
        self.played_stream("show-subtitled.m3u8")
        for name in ("film.mp4", "0.ts", "1.ts"):
            self.play(name)
        whole = self.ask("GET", "/api/v1/played").json()["played"]
        self.pages("/api/v1/played", "played", [title["id"] for title in whole], "id")
        one = {"id": whole[0]["id"]}
        self.ask("GET", "/api/v1/played/{id}", names=one)
        self.ask("DELETE", "/api/v1/played/{id}", names=one)
        self.ask("DELETE", "/api/v1/played/{id}", names=one, status=(404,))

    def pages(self, path: str, member: str, whole: list, name: str, names: dict | None = None):
        """Asserts that the pages of a list make up the list."""
        seen, after = [], {}
        while True:
            page = self.ask("GET", path, names=names or {}, query={"limit": "2"} | after)
            seen += [item[name] for item in page.json()[member]]
            after = {"after": page.json().get("next")}
            if bool(after["after"]) != ('rel="next"' in page.headers.get("Link", "")):
                raise Fault(f"{path}: next and Link don't agree: {page.headers} {page.text[:200]}")
            if not after["after"]:
                break
        if sorted(seen) != sorted(whole):
            raise Fault(f"{path}: the pages have {seen}, the list has {whole}")

    def library(self):
        self.play("film.mp4")
        film = {"url": self.origin.url("film.mp4")}
        asset = self.ask("POST", "/api/v1/assets", json=film, status=(200, 201)).json()
        one = {"id": asset["id"]}
        self.ask("GET", "/api/v1/assets", query=film)
        tag = self.ask("GET", "/api/v1/assets/{id}", names=one).headers["ETag"]
        titled = {"json": {"title": "A film"}, "headers": {"If-Match": tag}}
        self.ask("PATCH", "/api/v1/assets/{id}", names=one, **titled)
        self.ask("PATCH", "/api/v1/assets/{id}", names=one, status=(412,), **titled)
        marks = {"position": 1.5, "duration": 60, "watched": True, "tags": ["family", "to keep"]}
        self.ask("PATCH", "/api/v1/assets/{id}", names=one, json=marks)
        tagged = self.ask("GET", "/api/v1/assets", query={"tag": "to keep"}).json()["assets"]
        if [found["id"] for found in tagged] != [asset["id"]]:
            raise Fault(f"the asset isn't found by its tag: {tagged}")
        cover = "/api/v1/assets/{id}/cover"
        self.ask("GET", cover, names=one, status=(404,))
        self.ask("PUT", cover, names=one, data=PICTURE, headers=GIF)
        if self.ask("GET", cover, names=one).content != PICTURE:
            raise Fault("the cover differs from the one that was set")
        self.ask("PUT", cover, names=one, data=b"no picture", headers=GIF, status=(415,))
        self.ask("DELETE", cover, names=one)
        whole = self.ask("GET", "/api/v1/assets").json()["assets"]
        self.pages("/api/v1/assets", "assets", [asset["id"] for asset in whole], "id")
        self.ask("DELETE", "/api/v1/assets/{id}", names=one, status=(204,))

    def downloads(self):
        show = self.download("show.m3u8")
        self.stream("/library/{id}", {"id": self.download("show-subtitled.m3u8")["id"]})
        late = self.ask(
            "POST", "/api/v1/downloads", status=(201,), json={"url": self.origin.url("film.mp4"), "paused": True}
        ).json()  # fmt: skip
        self.ask("PUT", "/api/v1/downloads/order", json={"ids": [late["id"], show["id"]]})
        whole = self.ask("GET", "/api/v1/downloads").json()["downloads"]
        self.pages("/api/v1/downloads", "downloads", [download["id"] for download in whole], "id")
        one = {"id": late["id"]}
        self.ask("PATCH", "/api/v1/downloads/{id}", names=one, json={"priority": 3})
        self.ask("POST", "/api/v1/downloads/pause")
        self.ask("POST", "/api/v1/downloads/resume")
        self.ask("DELETE", "/api/v1/downloads/{id}", names=one, query={"keepData": "1"}, status=(204,))
        settings = "/api/v1/settings/cache"
        limits = {"limits": {"maximumBytes": 10**12, "maximumAge": 0}, "transfers": {"retries": 3, "stallTimeout": 7.5}}
        changed = self.ask("PATCH", settings, json=limits | {"bandwidth": {"total": 10**10, "recording": 10**9}}).json()
        if self.ask("GET", settings).json() != changed or changed["transfers"]["retries"] != 3:
            raise Fault("changed settings of the cache aren't returned")
        self.ask("PATCH", settings, json={"bandwidth": {"total": 0, "recording": 0}})
        settings = "/api/v1/settings/downloads"
        before = self.ask("GET", settings).json()
        self.ask("PATCH", settings, json={"policy": {"hours": {"start": 0, "end": 1440}}, "bandwidth": 10**9})
        self.ask("PUT", settings, json={})
        if self.ask("GET", settings).json() != before:
            raise Fault(f"PUT {settings} doesn't reset omitted settings to their defaults")

    def channels(self):
        names = {"name": "walk"}
        channel = self.record("walk", "live-subtitled.m3u8")
        self.stream("/live/{name}", names)
        self.ask("PATCH", "/api/v1/channels/{name}", names=names, json={"retention": {"segments": 1000}})
        segments = self.ask("GET", "/api/v1/channels/{name}/timeline", names=names, query={"to": "now"}).json()["segments"]
        if not segments:
            raise Fault("the timeline is empty")
        self.ask("GET", "/api/v1/channels/{name}/timeline", names=names, query={"limit": "1"})
        self.ask("GET", "/api/v1/channels/{name}/gaps", names=names)
        window = {"name": "A moment", "from": str(channel["recordedRanges"][0]["from"]), "to": "now"}
        programme = self.ask(
            "POST", "/api/v1/channels/{name}/programmes", names=names, json=window, status=(201,)
        ).json()  # fmt: skip
        self.ask("GET", "/api/v1/channels/{name}/programmes", names=names)
        one = names | {"programme": programme["id"], "format": "mp4"}
        self.ask("GET", "/api/v1/channels/{name}/programmes/{programme}", names=one)
        export = "/api/v1/channels/{name}/programmes/{programme}/exports/{format}"
        self.ask("POST", export, names=one, status=(200, 201))
        self.ask("DELETE", export, names=one, status=(204,))
        self.ask("GET", "/api/v1/channels")
        # Both channels fit into one page.
        self.record("another")
        self.pages("/api/v1/channels", "channels", ["another", "walk"], "name")
        window = {"channel": "walk", "from": str(channel["recordedRanges"][0]["from"]), "to": str(channel["recordedRanges"][0]["to"])}
        self.ask("GET", "/api/v1/bundles", query=window)
        self.ask("DELETE", "/api/v1/channels/{name}/programmes/{programme}", names=one, status=(204,))
        for name in ("walk", "another"):
            self.ask("PATCH", "/api/v1/channels/{name}", names={"name": name}, json={"state": "stopped"})
            self.ask("DELETE", "/api/v1/channels/{name}", names={"name": name}, status=(204,))

    def bundles(self):
        part = {"role": "file", "name": "file.mp4", "url": "http://one.bundle.invalid/file.mp4", "start": 0,
                "duration": 0, "isEncrypted": False, "hasWholeBlocks": False}  # fmt: skip
        contents = {"playlists": [], "parts": [part], "duration": 0, "notes": [], "isGrowing": False}
        body = {"title": "Brought", "url": part["url"], "contents": contents}
        bundle = self.ask("POST", "/api/v1/bundles", json=body, status=(201,)).json()
        one = {"id": bundle["id"], "part": "file.mp4"}
        place = {"offset": "0", "length": "4"}
        binary = {"Content-Type": "application/octet-stream"}
        self.ask("PUT", "/api/v1/bundles/{id}/{part}", names=one, query=place, data=b"four", headers=binary, status=(204,))
        self.ask("POST", "/api/v1/bundles/{id}/complete", names=one)
        show = self.download("show.m3u8")
        for name in (bundle["id"], show["id"]):
            self.ask("GET", "/api/v1/bundles", query={"asset": name})

    def tokens(self):
        self.play("film.mp4")
        film = self.ask("POST", "/api/v1/assets", json={"url": self.origin.url("film.mp4")}, status=(200, 201)).json()
        request = {"scope": "playback", "label": "tv", "url": film["url"], "expires": "2099-01-31T20:00:00Z"}
        issued = [
            self.ask("POST", "/api/v1/tokens", json=body, status=(201,)).json()
            for body in (request, {"scope": "asset", "asset": film["id"]})
        ]
        for token in issued:
            requests.get(token["playURL"], timeout=60).raise_for_status()
        self.ask("POST", "/api/v1/tokens", json={"scope": "asset"}, status=(400,))
        self.ask("POST", "/api/v1/tokens", json={"scope": "asset", "asset": "aaaaaaaaaaaa"}, status=(404,))
        whole = self.ask("GET", "/api/v1/tokens").json()["tokens"]
        self.pages("/api/v1/tokens", "tokens", [token["id"] for token in whole], "id")
        self.ask("GET", "/api/v1/tokens/{id}", names={"id": "standing"})
        items = self.ask("GET", "/items").json()["items"]
        self.pages("/items", "items", [item["id"] for item in items], "id")
        for token in issued:
            self.ask("DELETE", "/api/v1/tokens/{id}", names={"id": token["id"]}, status=(204,))
            self.ask("GET", "/api/v1/tokens/{id}", names={"id": token["id"]}, status=(404,))
            if requests.get(token["playURL"], timeout=60).status_code != 403:
                raise Fault("the play URL of a revoked token isn't refused with 403")
        old = self.server.key
        self.ask("POST", "/api/v1/key", status=(204,))
        self.server.read_key()
        if self.server.key == old or self.server.ask("GET", "/api/v1/server").status_code != 200:
            raise Fault("the key wasn't replaced")

    def events(self):
        path = "/api/v1/events"
        schema = {"$ref": "#/components/schemas/Event"}
        seen = set()
        with self.server.ask("GET", path, stream=True) as answer:
            if answer.headers["Content-Type"] != "text/event-stream":
                raise Fault(f"GET {path}: {answer.headers}")
            # These requests cause the first events.
            self.download("show.m3u8")
            self.ask("POST", "/api/v1/downloads", json={"url": self.origin.url("3.ts"), "paused": True}, status=(201,))
            self.play("2.ts")
            for line in answer.iter_lines():
                if not line.startswith(b"data: "):
                    continue
                event = json.loads(line.removeprefix(b"data: "))
                faults = self.description.errors(schema, event)
                if faults:
                    raise Fault(f"an event doesn't match the description: {faults} {event}")
                seen.add(event["event"])
                if "download.state" in seen or "download.added" in seen:
                    break
        self.reached.add(("GET", path))

    def documents(self):
        """Requests each document that no other part has requested."""
        for path in sorted(self.description.documents):
            if ("GET", path) not in self.reached:
                self.ask("GET", path)

    def ends(self):
        """Calls the operations that remove everything."""
        self.ask("DELETE", "/api/v1/covers")
        self.ask("DELETE", "/api/v1/resources", query={"pinned": "true"})
        left = [asset for asset in self.ask("GET", "/api/v1/assets").json()["assets"] if asset.get("bytes")]
        if left or self.ask("GET", "/api/v1/usage").json()["bytes"]:
            raise Fault(f"data is left after everything was removed: {left}")


GIF = {"Content-Type": "image/gif"}
# Paths whose responses have no entity tag.
MOVING = {"/api/v1/events"}
