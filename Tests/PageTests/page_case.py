"""What every test of the page has: an origin, a server, a browser, and a watch over what the page does."""

import os
import tempfile
import time
import unittest
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import BrowserContext, Locator, Page, expect, sync_playwright

from media import MediaFolder
from origin import Origin
from server import Server
from watch import Watch

LIMIT_SECONDS = 40
expect.set_options(timeout=LIMIT_SECONDS * 1000)

WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 390, "height": 844}


class PageCase(unittest.TestCase):
    """One server and one origin for the tests of a class, a browser context of its own for each page."""

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
        playwright = sync_playwright().start()
        cls.addClassCleanup(playwright.stop)
        cls.browser = playwright.chromium.launch(
            executable_path=os.environ["CHROMIUM"],
            args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                  "--autoplay-policy=no-user-gesture-required", "--mute-audio"])
        cls.addClassCleanup(cls.browser.close)

    def open(self, route: str = "", *, with_key: bool = True, **options) -> Page:
        """The page in a context of its own, so with a store, a cache and a key of its own."""
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
        # Last in, first out: what the watch found is looked at after the context's last word.
        self.addCleanup(lambda: self.assertEqual(watch.findings, [], "the page did what it mustn't"))
        self.addCleanup(context.close)
        return context

    def go(self, page: Page, route: str, *, with_key: bool = False):
        """Opens a view; with the key as a person does who follows the address that the server printed."""
        if with_key:
            page.goto(self.server.address)
        else:
            page.goto(self.server.page + route)
        expect(page.get_by_role("main")).to_be_visible()

    def play(self, page: Page, url: str):
        """Opens the player of a URL by a link, and agrees to it."""
        self.go(page, "#/play/url/" + quote(url, safe=""))
        expect(page.get_by_role("heading", level=1)).to_have_text("Play this URL?")
        page.get_by_role("main").get_by_role("button", name="Play", exact=True).click()

    @property
    def watch(self) -> Watch:
        """The watch over what was opened last."""
        return self.watches[-1]

    def eventually(self, page: Page, what: str, condition, within: float = LIMIT_SECONDS):
        """Waits until `condition` gives something true, and returns that. The page's events are taken meanwhile."""
        limit = time.monotonic() + within
        while not (value := condition()):
            if time.monotonic() > limit:
                self.fail(f"within {within} s it wasn't so that {what}")
            page.wait_for_timeout(100)
        return value

    def add(self, page: Page, url: str) -> Locator:
        """Types a URL into the field, and returns the dialog that says what it is."""
        page.get_by_role("textbox", name="URL of a video, a song or a stream").fill(url)
        page.get_by_role("button", name="Add", exact=True).click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_be_visible()
        return dialog

    def item(self, page: Page, title: str) -> Locator:
        """The item of a view's list that has this heading."""
        heading = page.get_by_role("heading", name=title, exact=True)
        return page.get_by_role("main").get_by_role("listitem").filter(has=heading)
