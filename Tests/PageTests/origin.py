"""An origin on loopback that tests can slow down, break, stop and inspect."""

import email.utils
import random
import re
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

TYPES = {".m3u8": "application/vnd.apple.mpegurl", ".ts": "video/mp2t", ".m4s": "video/iso.segment",
         ".mp4": "video/mp4", ".m4a": "audio/mp4", ".vtt": "text/vtt", ".html": "text/html; charset=utf-8"}
PIECE = 8192
#: UDP sockets at the ports that `free_port` returned, so that tests in another process choose other ports.
_reservations: list[socket.socket] = []


def free_port() -> int:
    """Returns a port that stays free while a server restarts, because the system doesn't assign it to clients."""
    while True:
        port = random.randrange(10_000, 20_000)
        reservation = socket.socket(type=socket.SOCK_DGRAM)
        try:
            reservation.bind(("127.0.0.1", port))
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
        except OSError:
            reservation.close()
            continue
        _reservations.append(reservation)
        return port


class Origin:
    """Serves `folder` with ranges and validators. `answers` overrides files.

    `rate` limits the total bytes per second; None is no limit.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.rate: int | None = None
        #: Functions that return a status, a media type and a body, by path.
        self.answers = {}
        #: The paths of files and folders, by the additional paths at which they are served.
        self.aliases: dict[str, str] = {}
        self._lock = threading.Lock()
        self._requests: list[str] = []
        self._bytes_sent = 0
        self._free_at = 0.0
        self._connections: set[socket.socket] = set()
        self._server: ThreadingHTTPServer | None = None
        self._port = free_port()
        self.start()

    def start(self):
        """Starts listening, always at the same port."""
        self._server = _Listener(("127.0.0.1", self._port), _Exchange)
        self._server.origin = self
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        """Stops listening and closes all connections, like a machine that is switched off."""
        if not self._server:
            return
        self._server.shutdown()
        self._server.server_close()
        self._server = None
        with self._lock:
            connections, self._connections = self._connections, set()
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self._port}/{path}"

    def answer(self, path: str, status: int, body: str, media_type: str = "text/html; charset=utf-8"):
        """Sets the response for a path."""
        self.answers["/" + path] = lambda: (status, media_type, body.encode())

    @property
    def traffic(self) -> tuple[int, int]:
        """The number of requests and of bytes sent so far."""
        with self._lock:
            return len(self._requests), self._bytes_sent

    def requests(self, containing: str = "") -> list[str]:
        with self._lock:
            return [path for path in self._requests if containing in path]

    def note_request(self, path: str):
        with self._lock:
            self._requests.append(path)

    def note_connection(self, connection: socket.socket, is_open: bool):
        with self._lock:
            (self._connections.add if is_open else self._connections.discard)(connection)

    def real_path(self, path: str) -> str:
        for alias, name in self.aliases.items():
            if path == alias or path.startswith(alias + "/"):
                return name + path[len(alias):]
        return path

    def throttle(self, count: int):
        """Waits until the rate allows `count` more bytes."""
        with self._lock:
            self._bytes_sent += count
            now = time.monotonic()
            self._free_at = max(self._free_at, now) + count / self.rate if self.rate else now
            wait = self._free_at - now
        # Waits in short intervals, so that removing the limit also ends current waits.
        until = time.monotonic() + wait
        while self.rate and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, 0.05))


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    block_on_close = False
    origin: Origin

    def handle_error(self, request, client_address):
        """Ignores clients that disconnect."""


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    server: _Listener

    def setup(self):
        super().setup()
        self.server.origin.note_connection(self.connection, True)

    def finish(self):
        self.server.origin.note_connection(self.connection, False)
        super().finish()

    def log_message(self, *_):
        """Logs nothing."""

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        origin = self.server.origin
        path = unquote(urlsplit(self.path).path)
        origin.note_request(path)
        if path in origin.answers:
            status, media_type, body = origin.answers[path]()
            # Generated responses have no validator.
            return self._send(status, media_type, body, {"Cache-Control": "no-cache"} if status == 200 else {})
        file = (origin.folder / origin.real_path(path).lstrip("/")).resolve()
        if not file.is_relative_to(origin.folder.resolve()) or not file.is_file():
            return self._send(404, TYPES[".html"], b"<!doctype html><title>Not found</title>")
        self._send_file(file)

    def _send_file(self, file: Path):
        note = file.stat()
        validators = {"ETag": f'"{note.st_size:x}-{note.st_mtime_ns:x}"', "Accept-Ranges": "bytes",
                      "Last-Modified": email.utils.formatdate(note.st_mtime, usegmt=True)}
        media_type = TYPES.get(file.suffix, "application/octet-stream")
        body = file.read_bytes()
        requested = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if_range = self.headers.get("If-Range")
        if not requested or requested.group(0) == "bytes=-" or if_range not in (None, *validators.values()):
            return self._send(200, media_type, body, validators)
        first, last = requested.groups()
        start = int(first) if first else max(0, len(body) - int(last))
        end = min(int(last) + 1 if first and last else len(body), len(body))
        if start >= end:
            return self._send(416, TYPES[".html"], b"", {"Content-Range": f"bytes */{len(body)}"})
        validators["Content-Range"] = f"bytes {start}-{end - 1}/{len(body)}"
        self._send(206, media_type, body[start:end], validators)

    def _send(self, status: int, media_type: str, body: bytes, fields: dict[str, str] = {}):
        self.send_response(status)
        for name, value in {"Content-Type": media_type, "Content-Length": str(len(body)), **fields}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        for start in range(0, len(body), PIECE):
            piece = body[start:start + PIECE]
            self.server.origin.throttle(len(piece))
            self.wfile.write(piece)
