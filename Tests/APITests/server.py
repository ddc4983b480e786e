"""A MediaCache server in a temporary folder."""

import pathlib
import re
import signal
import subprocess
import time

import requests


class Server:
    """`mediacache serve`, which runs until it is closed."""

    def __init__(self, program: str, folder: pathlib.Path):
        self.cache = folder / "cache"
        self.log = folder / "server.log"
        with open(self.log, "wb") as log:
            self._process = subprocess.Popen(
                [program, "serve", "--cache", str(self.cache), "--port", "0"], stdout=log, stderr=subprocess.STDOUT
            )
        try:
            self.address = self._address()
            self.read_key()
        except BaseException:
            self.close()
            raise

    def read_key(self):
        """Reads the current key, which `POST /api/v1/key` replaces."""
        self.key = (self.cache / "key").read_text().strip()

    def _address(self) -> str:
        for _ in range(300):
            found = re.search(r"^Listening on (\S+)", self.log.read_text(errors="replace"), re.MULTILINE)
            if found:
                return found.group(1)
            if self._process.poll() is not None:
                break
            time.sleep(0.1)
        raise SystemExit(f"the server doesn't listen; its log:\n{self.log.read_text(errors='replace')}")

    def ask(self, method: str, path: str, **options) -> requests.Response:
        """Sends a request with the key."""
        headers = {"Authorization": f"Bearer {self.key}"} | options.pop("headers", {})
        return requests.request(method, self.address + path, headers=headers, timeout=60, **options)

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def close(self):
        if not self.is_running:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
