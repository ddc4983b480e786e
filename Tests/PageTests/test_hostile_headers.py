"""Hostile response headers of an origin never run a script in the server's own web origin.

200 responses, generated from a seed, are read through `/play`, `/library` and `/live`. Each is opened as a page in a
browser whose local storage contains the key. So are the covers of songs whose tags declare such media types.
"""

import asyncio
import os
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urljoin

from playwright.async_api import BrowserContext, Error, async_playwright

import hostile
from server import Server

ENDINGS = (".mp4", ".bin", "", ".html", ".svg", ".jpg", ".vtt", ".ts")
TABS = 12
#: More than this number of responses must be served for the tests to be meaningful.
LEAST = 40


class HostileHeaderTests(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="mediacache-hostile-")
        cls.addClassCleanup(folder.cleanup)
        cls.beacon = hostile.Beacon()
        cls.addClassCleanup(cls.beacon.stop)
        cls.origin = hostile.HostileOrigin(hostile.make(cls.beacon.address))
        cls.addClassCleanup(cls.origin.stop)
        print(f"seed: {hostile.SEED}", flush=True)
        cls.server = Server(Path(os.environ["MEDIACACHE"]), Path(folder.name) / "server")
        cls.addClassCleanup(cls.server.stop)
        cls.played = [cls.play(f"{number}{ENDINGS[number % len(ENDINGS)]}") for number in range(hostile.COUNT)]
        # A response that isn't valid HTTP is refused only after several attempts.
        with ThreadPoolExecutor(32) as pool:
            statuses = list(pool.map(cls.status, cls.played))
        cls.answered = [number for number, status in enumerate(statuses) if status == 200]
        cls.loop = asyncio.new_event_loop()
        cls.addClassCleanup(cls.loop.close)
        playwright = cls.loop.run_until_complete(async_playwright().start())
        cls.addClassCleanup(lambda: cls.loop.run_until_complete(playwright.stop()))
        browser = cls.loop.run_until_complete(
            playwright.chromium.launch(
                executable_path=os.environ["CHROMIUM"],
                args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--mute-audio"]))
        cls.addClassCleanup(lambda: cls.loop.run_until_complete(browser.close()))
        cls.browser = browser

    @classmethod
    def play(cls, path: str) -> str:
        return f"{cls.server.page}play/{cls.server.token}/http/{cls.origin.url(path).removeprefix('http://')}"

    @staticmethod
    def status(address: str) -> int:
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                answer.read()
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def setUp(self):
        self.assertGreater(len(self.answered), LEAST)
        self.beacon.reports.clear()

    def visit(self, addresses: list[str]) -> list[str]:
        """Opens each address as a page, waits until it is loaded, and returns the reports of scripts."""
        began = time.monotonic()
        self.loop.run_until_complete(self._visit(addresses))
        print(f"{len(addresses)} pages in {time.monotonic() - began:.0f} s", flush=True)
        return self.beacon.reports

    async def _visit(self, addresses: list[str]):
        context = await self.browser.new_context(accept_downloads=False)
        page = await context.new_page()
        await page.goto(self.server.address)
        # The page's policy doesn't allow Playwright's own way of waiting for conditions.
        limit = time.monotonic() + 30
        while await page.evaluate("localStorage.getItem('mediacache.key')") != self.server.key:
            self.assertLess(time.monotonic(), limit, "the page has no key")
            await page.wait_for_timeout(50)
        await page.evaluate("localStorage.setItem('marker', 'read me')")
        left = list(reversed(addresses))
        await asyncio.gather(*(self._tab(context, left) for _ in range(TABS)))
        # The last report may still be in transfer.
        await page.wait_for_timeout(500)
        # The marker was readable during all visits.
        self.assertEqual(await page.evaluate("localStorage.getItem('marker')"), "read me")
        await context.close()

    async def _tab(self, context: BrowserContext, left: list[str]):
        page = await context.new_page()
        while left:
            try:
                await asyncio.wait_for(page.goto(left.pop(), timeout=3_000), 6)
            except asyncio.TimeoutError:
                # A script may block the page.
                page = await context.new_page()
            except Error as error:
                # Downloads and unplayable media aren't failures.
                known = ("Download is starting", "net::ERR_", "Timeout", "interrupted by another navigation")
                self.assertTrue(any(text in error.message for text in known), error.message)

    def test_beacon_receives_reports_of_scripts(self):
        pages = [hostile.TYPES.index(kind) for kind in ("text/html", "video/mp4,text/html")]
        reports = self.visit([self.origin.url(f"{number}.html") for number in pages])
        for number in pages:
            self.assertTrue(any(f"{number}.html" in report for report in reports), reports)

    def test_play_runs_no_script(self):
        self.assertEqual(self.visit(self.played), [])

    def test_library_runs_no_script(self):
        for number in self.answered:
            url = self.origin.url(f"{number}{ENDINGS[number % len(ENDINGS)]}")
            self.server.api("POST", "downloads", {"url": url})
        complete = self.settled(
            lambda: [record for record in self.server.api("GET", "downloads")["downloads"]
                     if record["state"] == "complete"])
        self.assertGreater(len(complete), LEAST)
        bases = [asset["libraryURL"] for asset in self.server.api("GET", "assets")["assets"]]
        # Every other path contains a token.
        token = self.server.token
        addresses = [
            base.replace("/library/", f"/k/{token}/library/") if number % 2 else base
            for number, base in enumerate(bases)]
        self.assertEqual(self.visit(addresses), [])

    def test_cover_runs_no_script(self):
        documents = hostile.bodies(self.beacon.address)
        for number, kind in enumerate(hostile.TYPES):
            self.origin.files[f"/song-{number}.mp3"] = hostile.song(documents[number % len(documents)], kind)
            self.server.api("POST", "downloads", {"url": self.origin.url(f"song-{number}.mp3")})
        covered = self.settled(
            lambda: [asset for asset in self.server.api("GET", "assets")["assets"]
                     if "/song-" in asset["url"] and asset.get("cover")])
        self.assertGreater(len(covered), LEAST)
        addresses = [
            f"{self.server.page}{f'k/{self.server.token}/' if number % 2 else ''}library/{asset['id']}/cover"
            for number, asset in enumerate(covered)]
        self.assertEqual(self.visit(addresses), [])
        # Documents are refused, as on other routes.
        statuses = [self.status(address) for address in addresses]
        self.assertGreater(statuses.count(200), LEAST)
        self.assertEqual(set(statuses), {200, 502})

    def test_live_runs_no_script(self):
        # Encrypted segments are recorded unless they begin like a document or a playlist. Each response has its own
        # channel, because a refused segment delays those after it.
        self.origin.files["/key"] = b"0123456789abcdef"
        for number in self.answered:
            segment = f"{number}{ENDINGS[number % len(ENDINGS)]}"
            self.origin.files[f"/live-{number}.m3u8"] = (
                f'#EXTM3U\n#EXT-X-TARGETDURATION:60\n#EXT-X-KEY:METHOD=AES-128,URI="key"\n#EXTINF:60,\n{segment}\n'
            ).encode()
            self.server.api(
                "POST", "channels",
                {"name": f"c{number}", "url": self.origin.url(f"live-{number}.m3u8"), "retention": {"seconds": 86400}})
        recorded = self.settled(
            lambda: [record for record in self.server.api("GET", "channels")["channels"] if record["recordedRanges"]])
        addresses = [
            address for record in recorded
            for address in self.segment_addresses(record["liveURL"].replace("index.m3u8", ""))]
        self.assertGreater(len(addresses), LEAST)
        self.assertEqual(self.visit(addresses), [])

    @staticmethod
    def settled(records) -> list[dict]:
        """Returns the records once there are some and their number hasn't changed for 3 s, or after 30 s."""
        limit, found, steady = time.monotonic() + 30, [], 0
        while time.monotonic() < limit and steady < 10:
            time.sleep(0.3)
            before, found = len(found), records()
            steady = steady + 1 if found and len(found) == before else 0
        return found

    @staticmethod
    def segment_addresses(base: str) -> list[str]:
        """Returns the addresses of all recorded segments of a channel."""
        def uris(address: str) -> list[str]:
            with urllib.request.urlopen(address, timeout=10) as answer:
                lines = answer.read().decode().splitlines()
            return [urljoin(address, line) for line in lines if line and not line.startswith("#")]
        return [segment for track in uris(base + "all.m3u8") for segment in uris(track)]


if __name__ == "__main__":
    unittest.main()
