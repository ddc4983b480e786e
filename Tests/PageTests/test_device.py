"""The page on another device, which has the library token instead of the API key."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from live import LiveStream
from page_case import NARROW, PageCase
from qrcode_reader import read_code
from test_accessibility import RULES
from video import current_time


class DeviceTests(PageCase):
    # The origin is on this machine, which an exposed server contacts only if that is permitted.
    server_options = ("--lan", "--allow-net", "127.0.0.0/8")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, title in (("clip.mp4", "A clip"), ("film/index.m3u8", "A film"), ("song.m4a", "A song")):
            cls.server.api("POST", "downloads", {"url": cls.origin.url(name), "title": title})
        stream = LiveStream(cls.origin)
        cls.server.api("POST", "channels", {"name": "evening", "url": stream.url})

    def setUp(self):
        page = self.context().new_page()
        self.eventually(page, "the downloads are complete", lambda: all(
            record["state"] == "complete" for record in self.server.downloads().values()))
        self.eventually(page, "the channel is recorded", lambda: self.server.recorded("evening") > 10_000)

    @property
    def address(self) -> str:
        return f"{self.server.page}#token={self.token}"

    @property
    def token(self) -> str:
        return self.server.api("GET", "tokens/library")["token"]

    def open_device(self, address: str | None = None, **options) -> Page:
        page = self.context(**{"viewport": NARROW, **options}).new_page()
        page.goto(address or self.address)
        return page

    def heading(self, page: Page):
        return page.get_by_role("heading", level=1)

    def test_lists_items_without_key_or_controls(self):
        page = self.open_device()
        for title in ("A clip", "A film", "A song", "evening"):
            expect(self.item(page, title)).to_be_visible()
        expect(page.get_by_role("listitem").first).to_contain_text("evening")
        expect(page.get_by_role("main").get_by_role("button")).to_have_count(0)
        expect(page.get_by_role("navigation")).to_have_count(0)
        expect(page.get_by_role("textbox", name="URL of a video, a song or a stream")).to_have_count(0)
        self.assertEqual([one for one in self.watch.requests if "/api/" in one or "/play/" in one], [])
        self.assertNotIn(self.token, page.url)
        text = page.evaluate("document.documentElement.outerHTML + JSON.stringify(localStorage)")
        self.assertNotIn(self.server.key, text)
        self.assertNotIn(self.origin.url(""), text)
        # The address of a later visit contains no token.
        page.goto("about:blank")
        page.goto(self.server.page)
        expect(self.item(page, "A clip")).to_be_visible()

    def test_plays_files_streams_and_channels(self):
        page = self.open_device()
        for title in ("A clip", "A film", "A song", "evening"):
            page.get_by_role("link", name=f"Play {title}", exact=True).click()
            expect(self.heading(page)).to_have_text(title)
            video = page.get_by_label(f"Player: {title}")
            start = self.eventually(page, f"{title} plays", lambda: current_time(video))
            self.eventually(page, f"{title} continues", lambda: current_time(video) > start + 0.5)
            page.get_by_role("link", name="Back", exact=True).click()
            expect(self.heading(page)).to_have_text("Library")
        self.assertEqual([one for one in self.watch.requests if "/api/" in one or "/play/" in one], [])

    def test_digit_keys_seek(self):
        page = self.open_device()
        page.get_by_role("link", name="Play A film", exact=True).click()
        video = page.get_by_label("Player: A film")
        self.eventually(page, "the film plays", lambda: current_time(video))
        page.keyboard.press("k")
        page.keyboard.press("5")
        self.eventually(page, "it is at the middle", lambda: video.evaluate(
            "video => Math.abs(video.currentTime / video.duration - 0.5) < 0.02"))

    def test_unplayable_media_is_explained_without_command(self):
        page = self.open_device()
        self.watch.allow("MEDIA|media|NotSupportedError")
        page.route("**/library/*/", lambda route: route.fulfill(body="no film", content_type="video/mp4"))
        page.get_by_role("link", name="Play A clip", exact=True).click()
        expect(page.locator("#player-error")).to_contain_text(
            "Playback failed: the media couldn’t be read, or the browser doesn’t support its format. Try again, or use "
            "another browser or device.")

    def test_reload_and_back_keep_view(self):
        page = self.open_device()
        page.get_by_role("link", name="Play A clip", exact=True).click()
        expect(self.heading(page)).to_have_text("A clip")
        page.reload()
        expect(self.heading(page)).to_have_text("A clip")
        page.go_back()
        expect(self.heading(page)).to_have_text("Library")

    def test_code_opens_page_at_address_in_network(self):
        codes = {self.server.terminal("token", "code", *options) for options in ((), ("--color", "never"))}
        self.assertEqual(len(codes), 2)
        addresses = {read_code(code) for code in codes}
        self.assertEqual(len(addresses), 1)
        address = addresses.pop()
        self.assertRegex(address, r"^http://[^/]+/#token=")
        self.assertTrue(all(address in code for code in codes))
        self.assertTrue(address.endswith(self.token))
        self.assertNotIn("//127.", address)
        context = self.browser.new_context(viewport=NARROW)
        self.addCleanup(context.close)
        page = context.new_page()
        page.goto(address)
        page.get_by_role("link", name="Play A clip", exact=True).click()
        video = page.get_by_label("Player: A clip")
        self.eventually(page, "the clip plays", lambda: current_time(video) > 0.2)

    def test_key_takes_precedence(self):
        page = self.open()
        expect(page.get_by_role("navigation")).to_be_visible()
        page.goto("about:blank")
        page.goto(self.address)
        expect(page.get_by_role("navigation")).to_be_visible()
        self.assertNotIn("token=", page.url)

    def test_wrong_token_in_address_does_not_replace_stored_token(self):
        page = self.open_device()
        expect(self.item(page, "A clip")).to_be_visible()
        self.watch.allow("403")
        page.goto("about:blank")
        page.goto(f"{self.server.page}#token={'x' * 43}")
        expect(self.item(page, "A clip")).to_be_visible()

    def test_reports_revoked_token_and_accepts_new_one(self):
        page = self.open_device()
        expect(self.item(page, "A clip")).to_be_visible()
        self.watch.allow("403")
        self.server.api("DELETE", "tokens/library")
        page.reload()
        expect(self.heading(page)).to_have_text("This address is no longer valid")
        page.goto(self.address)
        expect(self.item(page, "A clip")).to_be_visible()

    def test_shows_changes(self):
        page = self.open_device()
        expect(self.item(page, "A clip")).to_be_visible()
        self.server.api("POST", "downloads", {"url": self.origin.url("song.m4a?later"), "title": "Added later"})
        expect(self.item(page, "Added later")).to_be_visible()
        asset = self.server.downloads()["Added later"]["id"]
        self.server.api("DELETE", f"assets/{asset}")
        expect(self.item(page, "Added later")).to_have_count(0)

    def test_passes_accessibility_rules(self):
        for colors in ("light", "dark"):
            page = self.open_device(color_scheme=colors, reduced_motion="reduce")
            for name in ("list", "player"):
                with self.subTest(view=name, colors=colors):
                    if name == "player":
                        page.get_by_role("link", name="Play A clip", exact=True).click()
                        expect(self.heading(page)).to_have_text("A clip")
                    else:
                        expect(self.item(page, "A clip")).to_be_visible()
                    found = Axe().run(page, options=RULES)
                    self.assertEqual(found.violations_count, 0, found.generate_report())
            # Nothing is wider than the screen.
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), NARROW["width"])
