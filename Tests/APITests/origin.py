"""An origin on loopback: a file, a stream, and a live stream whose window advances by one segment per second.

Each stream also has a multivariant playlist, which adds subtitles.
"""

import http.server
import pathlib
import re
import subprocess
import threading
import time

SEGMENTS = 600
WINDOW = 10
MULTIVARIANT = """#EXTM3U
#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="text",NAME="English",LANGUAGE="en",URI="{stream}-text.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=100000,RESOLUTION=64x36,FRAME-RATE=4.000,CODECS="avc1.42C00A",SUBTITLES="text"
{stream}.m3u8
"""
# The subtitles of a segment.
SUBTITLES = """WEBVTT
X-TIMESTAMP-MAP=MPEGTS:{time},LOCAL:00:00:00.000

cue
00:00.000 --> 00:00.900 line:0
Some words
"""


class Origin:
    """An HTTP server for media that it generates in a folder. It runs until `close` is called."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.started = time.monotonic()
        self._make()
        origin = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                origin.answer(self)

            do_HEAD = do_GET

            def log_message(self, *arguments):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        # Ignores clients that disconnect.
        self._server.handle_error = lambda request, address: None
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, name: str) -> str:
        return f"{self.address}/{name}"

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def _make(self):
        """Makes a small video in segments of one second."""
        command = [
            "ffmpeg", "-nostdin", "-loglevel", "error",
            "-f", "lavfi", "-i", f"testsrc2=size=64x36:rate=4:duration={SEGMENTS}",
            "-c:v", "libx264", "-preset", "ultrafast", "-g", "4", "-pix_fmt", "yuv420p",
            "-f", "hls", "-hls_time", "1", "-hls_list_size", "0", "-hls_segment_filename", "%d.ts", "all.m3u8",
        ]  # fmt: skip
        subprocess.run(command, cwd=self.folder, check=True)
        # The name gives the media type; the content doesn't matter here.
        (self.folder / "film.mp4").write_bytes(b"".join((self.folder / f"{n}.ts").read_bytes() for n in range(20)))

    def _playlist(self, stream: str, suffix: str) -> bytes:
        """Returns a media playlist whose segments have a suffix."""
        first, count = 0, 5
        if stream == "live":
            first, count = min(int(time.monotonic() - self.started), SEGMENTS - WINDOW), WINDOW
        lines = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:1", f"#EXT-X-MEDIA-SEQUENCE:{first}"]
        for number in range(first, first + count):
            lines += ["#EXTINF:1.0,", f"{number}.{suffix}"]
        return ("\n".join(lines + ([] if stream == "live" else ["#EXT-X-ENDLIST"])) + "\n").encode()

    def _content(self, name: str) -> tuple[str, bytes] | None:
        for stream in ("live", "show"):
            playlists = {
                f"{stream}.m3u8": self._playlist(stream, "ts"),
                f"{stream}-text.m3u8": self._playlist(stream, "vtt"),
                f"{stream}-subtitled.m3u8": MULTIVARIANT.format(stream=stream).encode(),
            }
            if name in playlists:
                return "application/vnd.apple.mpegurl", playlists[name]
        if re.fullmatch(r"[0-9]+\.vtt", name):
            return "text/vtt", SUBTITLES.format(time=90_000 * int(name.removesuffix(".vtt"))).encode()
        file = self.folder / name
        if not file.is_file():
            return None
        return ("video/mp4" if name.endswith(".mp4") else "video/mp2t"), file.read_bytes()

    def answer(self, request: http.server.BaseHTTPRequestHandler):
        content = self._content(request.path.split("?")[0].lstrip("/"))
        if content is None:
            request.send_error(404)
            return
        media_type, body = content
        total = len(body)
        requested = request.headers.get("Range", "")
        status = 200
        if requested.startswith("bytes=") and "," not in requested and not requested.startswith("bytes=-"):
            begin, _, end = requested[6:].partition("-")
            first, last = int(begin), min(int(end or total - 1), total - 1)
            if first >= total:
                request.send_response(416)
                request.send_header("Content-Range", f"bytes */{total}")
                request.send_header("Content-Length", "0")
                request.end_headers()
                return
            status, body = 206, body[first : last + 1]
        request.send_response(status)
        if status == 206:
            request.send_header("Content-Range", f"bytes {first}-{last}/{total}")
        request.send_header("Accept-Ranges", "bytes")
        request.send_header("Content-Type", media_type)
        request.send_header("Content-Length", str(len(body)))
        if not media_type.endswith("mpegurl"):
            request.send_header("ETag", f'"{request.path}"')
        request.end_headers()
        if request.command != "HEAD":
            request.wfile.write(body)
