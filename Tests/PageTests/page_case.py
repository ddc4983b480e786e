"""The base class of the page's tests: an origin, a server, a browser, and checks of requests and errors."""

import os
import re
import tempfile
import time
import unittest
from pathlib import Path
from urllib.parse import quote, urlsplit

from playwright.sync_api import (
    BrowserContext, ConsoleMessage, Locator, Page, Request, expect, sync_playwright)

from media import MediaFolder
from origin import Origin
from server import Server

LIMIT_SECONDS = 40
expect.set_options(timeout=LIMIT_SECONDS * 1000)

WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 390, "height": 844}


class Watch:
    """Collects requests to other servers, errors and warnings of the console, uncaught errors, and violations of the
    Content-Security-Policy."""

    def __init__(self, context: BrowserContext, base: str):
        self._base = urlsplit(base).netloc
        self._allowed: list[re.Pattern] = []
        self._findings: list[str] = []
        #: The method and path of each request.
        self.requests: list[str] = []
        context.on("request", self._note_request)
        context.on("console", self._note_message)
        context.on("weberror", lambda error: self._findings.append(f"uncaught: {error.error}"))
        context.add_init_script(
            "addEventListener('securitypolicyviolation', event => console.error("
            "`policy: ${event.violatedDirective} stopped ${event.blockedURI}`))")

    def allow(self, pattern: str):
        """Ignores findings that match a pattern, which a test causes on purpose."""
        self._allowed.append(re.compile(pattern))

    @property
    def findings(self) -> list[str]:
        return [text for text in self._findings if not any(pattern.search(text) for pattern in self._allowed)]

    def _note_request(self, request: Request):
        address = urlsplit(request.url)
        if address.scheme in ("blob", "data"):
            return
        if address.netloc != self._base:
            self._findings.append(f"request to another server: {request.url}")
        self.requests.append(f"{request.method} {address.path}")

    def _note_message(self, message: ConsoleMessage):
        if message.type in ("error", "warning"):
            where = (message.location or {}).get("url", "")
            self._findings.append(f"console: {message.text} ({where})")


class ServerCase(unittest.TestCase):
    """A test case with one server and one origin per class."""

    maxDiff = None
    server_options: tuple[str, ...] = ()

    @classmethod
    def setUpClass(cls):
        program = Path(os.environ["MEDIACACHE"])
        cls.media = MediaFolder(Path(os.environ["MEDIACACHE_PAGE_MEDIA"]))
        folder = tempfile.TemporaryDirectory(prefix="mediacache-page-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.origin = Origin(cls.media.path)
        cls.addClassCleanup(cls.origin.stop)
        cls.server = Server(program, cls.folder / "server", *cls.server_options)
        cls.addClassCleanup(cls.server.stop)

    def wait_until(self, expectation: str, condition, within: float = LIMIT_SECONDS, pause=lambda: time.sleep(0.1)):
        """Waits until `condition` returns a true value, and returns it. Calls `pause` between attempts."""
        limit = time.monotonic() + within
        while not (value := condition()):
            if time.monotonic() > limit:
                self.fail(f"not within {within} s: {expectation}")
            pause()
        return value


def launch_chromium(playwright):
    return playwright.chromium.launch(
        executable_path=os.environ["CHROMIUM"],
        args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
              "--autoplay-policy=no-user-gesture-required", "--mute-audio"])


class PageCase(ServerCase):
    """A test case with one browser context per page."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        playwright = sync_playwright().start()
        cls.addClassCleanup(playwright.stop)
        cls.browser = launch_chromium(playwright)
        cls.addClassCleanup(cls.browser.close)

    def open(self, route: str = "", *, with_key: bool = True, **options) -> Page:
        """Opens the page in a new context, which has its own storage, cache and key."""
        context = self.context(**options)
        page = context.new_page()
        self.go(page, "", with_key=with_key)
        if route:
            self.go(page, route, with_key=False)
        return page

    def context(self, **options) -> BrowserContext:
        context = self.browser.new_context(**{"viewport": WIDE, "locale": "en-GB", **options})
        context.set_default_timeout(LIMIT_SECONDS * 1000)
        watch = Watch(context, self.server.page)
        self.watches = [*getattr(self, "watches", []), watch]
        # Cleanups run in reverse: the context closes before its findings are checked.
        self.addCleanup(lambda: self.assertEqual(watch.findings, [], "errors or requests to other servers"))
        self.addCleanup(context.close)
        return context

    def go(self, page: Page, route: str, *, with_key: bool = False):
        """Opens a view. `with_key` opens the page's address with the key instead."""
        if with_key:
            page.goto(self.server.address)
        else:
            page.goto(self.server.page + route)
        expect(page.get_by_role("main")).to_be_visible()

    def play(self, page: Page, url: str):
        """Opens the player of a URL as if from a link, and agrees to playback."""
        self.go(page, "#/play/url/" + quote(url, safe=""))
        expect(page.get_by_role("heading", level=1)).to_have_text("Play this URL?")
        page.get_by_role("main").get_by_role("button", name="Play", exact=True).click()

    @property
    def watch(self) -> Watch:
        """The watch of the last context."""
        return self.watches[-1]

    def eventually(self, page: Page, expectation: str, condition, within: float = LIMIT_SECONDS):
        """Waits like `wait_until`, and handles the page's events in the meantime."""
        return self.wait_until(expectation, condition, within, lambda: page.wait_for_timeout(100))

    def wait_for_frame(self, page: Page):
        video = page.locator("video")
        self.eventually(page, "the video has a frame", lambda: video.evaluate("video => video.readyState > 1"))

    def add(self, page: Page, url: str) -> Locator:
        """Enters a URL in the field, and returns the dialog for it."""
        page.get_by_role("textbox", name="URL of a video, a song or a stream").fill(url)
        page.get_by_role("button", name="Add", exact=True).click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_be_visible()
        return dialog

    def item(self, page: Page, title: str) -> Locator:
        """Returns the list item with a heading."""
        heading = page.get_by_role("heading", name=title, exact=True)
        return page.get_by_role("main").get_by_role("listitem").filter(has=heading)


def slider_value(slider: Locator, which: str) -> float:
    """Returns a slider's value: "min", "max" or "now"."""
    return float(slider.get_attribute(f"aria-value{which}") or 0)
