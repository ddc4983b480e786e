"""An origin on loopback for the checks: a video, a live stream of one-second segments, and failing URLs.

    origin.py FOLDER     serves FOLDER/film.mp4 as /film.mp4 and FOLDER/segment-*.ts as a live stream, /live.m3u8

Prints its port. Other paths, such as /broken.mp4, return 500.
"""

import glob
import http.server
import os
import re
import sys
import time

FOLDER = sys.argv[1]
BEGAN = time.time()
WINDOW = 6


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/film.mp4":
            self.send_file("film.mp4", "video/mp4")
        elif path == "/live.m3u8":
            self.send(live_playlist().encode(), "application/vnd.apple.mpegurl")
        elif path.startswith("/live/"):
            segments = sorted(glob.glob(os.path.join(FOLDER, "segment-*.ts")))
            number = int(re.sub(r"\D", "", path))
            self.send_file(os.path.basename(segments[number % len(segments)]), "video/mp2t")
        else:
            self.send_error(500)

    def send(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_file(self, name, kind):
        with open(os.path.join(FOLDER, name), "rb") as file:
            body = file.read()
        start, end = 0, len(body)
        match = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if match:
            start = int(match[1])
            end = min(int(match[2]) + 1 if match[2] else end, len(body))
        self.send_response(206 if match else 200)
        if match:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(body)}")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", f'"{name}-{len(body)}"')
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(end - start))
        self.end_headers()
        self.wfile.write(body[start:end])

    def log_message(self, *_):
        pass


def live_playlist():
    """Returns a playlist of the last WINDOW seconds. Each segment begins with a discontinuity."""
    newest = int(time.time() - BEGAN) + WINDOW
    first = newest - WINDOW
    lines = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:1", f"#EXT-X-MEDIA-SEQUENCE:{first}",
             f"#EXT-X-DISCONTINUITY-SEQUENCE:{first}"]
    for number in range(first, newest):
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(BEGAN + number - WINDOW))
        lines += ["#EXT-X-DISCONTINUITY", f"#EXT-X-PROGRAM-DATE-TIME:{moment}.000Z", "#EXTINF:1.000,",
                  f"live/{number}.ts"]
    return "\n".join(lines) + "\n"


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Ignores clients that disconnect."""


if __name__ == "__main__":
    server = Server(("127.0.0.1", 0), Origin)
    print(server.server_port, flush=True)
    server.serve_forever()
