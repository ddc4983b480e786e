"""A MediaCache server for tests, and its API."""

import atexit
import json
import os
import pty
import re
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from origin import free_port


class Server:
    """`mediacache serve` on loopback, with its own cache folder."""

    def __init__(self, program: Path, folder: Path, *options: str):
        self._program, self._folder, self._options = program, folder, options
        self._port = free_port()
        self._process: subprocess.Popen | None = None
        # Stops the server even if the tests are interrupted.
        atexit.register(self.stop)
        self.start()

    def start(self):
        """Starts the server, always at the same port, and waits until it prints the page's address."""
        self._folder.mkdir(parents=True, exist_ok=True)
        output, errors = self._folder / "output", self._folder / "errors"
        with output.open("w") as out, errors.open("w") as err:
            self._process = subprocess.Popen(
                [self._program, "serve", "--cache", self._folder / "cache", "--port", str(self._port),
                 "--min-free", "1MB", *self._options],
                stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        limit = time.monotonic() + 30
        pattern = r"Open (http://[^ /]+/) and enter the key, which is in (.+)"
        while not (found := re.search(pattern, output.read_text())):
            if self._process.poll() is not None or time.monotonic() > limit:
                printed = output.read_text() + errors.read_text()
                self.stop()
                raise AssertionError(f"the server didn't print the page's address: {printed}")
            time.sleep(0.05)
        #: The page's address without the key, the key, and the address with the key.
        self.page, key_file = found.groups()
        self.key = Path(key_file).read_text().strip()
        self.address = f"{self.page}#key={self.key}"

    def stop(self):
        """Stops the server with SIGTERM, or with SIGKILL after 15 s."""
        if not self._process:
            return
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def terminal(self, *arguments: str) -> str:
        """Runs a command on the cache folder in a terminal, and returns its output."""
        main, other = pty.openpty()
        process = subprocess.Popen(
            [self._program, *arguments, "--cache", self._folder / "cache"], stdin=other, stdout=other, stderr=other,
            env={**os.environ, "TERM": "xterm-256color", "NO_COLOR": ""})
        os.close(other)
        output = b""
        try:
            while data := os.read(main, 65536):
                output += data
        except OSError:
            pass  # The terminal was closed.
        finally:
            os.close(main)
        if process.wait(30) != 0:
            raise AssertionError(f"{arguments}: {process.returncode}: {output.decode()}")
        return output.decode()

    def api(self, method: str, path: str, body: object = None):
        """Sends a request and returns the response's JSON, or None. `body` is a JSON value or bytes."""
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.page}api/v1/{path}", data, method=method)
        request.add_header("Authorization", f"Bearer {self.key}")
        if data is not None:
            request.add_header(
                "Content-Type", "application/octet-stream" if isinstance(body, bytes) else "application/json")
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                answer = response.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code}: {error.read().decode()}") from error
        return json.loads(answer) if answer else None

    @property
    def token(self) -> str:
        """The standing playback token."""
        return self.api("GET", "tokens/standing")["token"]

    def roll_key(self):
        self.api("POST", "key")
        self.key = (self._folder / "cache" / "key").read_text().strip()
        self.address = f"{self.page}#key={self.key}"

    def recorded(self, channel: str) -> float:
        """Returns the time from the start to the end of a channel's recording, in milliseconds."""
        ranges = self.api("GET", f"channels/{channel}")["recordedRanges"]
        return ranges[-1]["to"] - ranges[0]["from"] if ranges else 0

    def downloads(self) -> dict[str, dict]:
        """Returns the downloads by title."""
        return {record.get("title", record["url"]): record for record in self.api("GET", "downloads")["downloads"]}
