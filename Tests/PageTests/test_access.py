"""The key, and a server that goes away and comes back."""

from urllib.parse import quote

from playwright.sync_api import expect

from page_case import PageCase


class AccessTests(PageCase):
    def test_the_key_of_the_address_is_kept_and_leaves_the_address(self):
        page = self.open()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")
        self.assertNotIn(self.server.key, page.url)
        self.assertFalse(page.evaluate("key => document.documentElement.outerHTML.includes(key)", self.server.key))
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")

    def test_without_a_key_the_page_asks_for_it(self):
        page = self.open(with_key=False)
        self.watch.allow("401")
        expect(page.get_by_role("heading", level=1)).to_have_text("This page needs the cache’s key")
        page.get_by_role("textbox", name="Key").fill(self.server.key)
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")

    def test_a_wrong_key_is_said_and_can_be_mended(self):
        context = self.context()
        self.watch.allow("401")
        page = context.new_page()
        page.goto(self.server.page + "#key=0123456789abcdef0123456789abcdef")
        expect(page.get_by_role("alert").filter(has_text="The server doesn’t take this key")).to_be_visible()
        page.get_by_role("textbox", name="Key").fill("nor this")
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.get_by_role("alert").filter(has_text="The server doesn’t take this key")).to_be_visible()
        page.get_by_role("textbox", name="Key").fill(self.server.key)
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")

    def test_a_key_that_the_server_does_not_take_replaces_no_other(self):
        page = self.open()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")
        self.watch.allow("401")
        for leave in (True, False):
            # Loaded with it, and led to it while it's open.
            if leave:
                page.goto("about:blank")
            page.goto(self.server.page + "#key=0123456789abcdef0123456789abcdef")
            expect(page.get_by_text("The address held a key that the server doesn’t take.").last).to_be_visible()
            expect(page.get_by_role("heading", level=1)).to_have_text("Library")
            self.assertNotIn("key=", page.url)
            self.assertEqual(page.evaluate("localStorage.getItem('mediacache.key')"), self.server.key)
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")

    def test_a_rolled_key_has_the_page_ask_for_the_new_one(self):
        page = self.open()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")
        self.watch.allow("401")
        self.server.roll_key()
        expect(page.get_by_role("heading", level=1)).to_have_text("This page needs the cache’s key")
        page.get_by_role("textbox", name="Key").fill(self.server.key)
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")

    def test_no_request_has_the_key_in_its_url(self):
        played, kept = self.origin.url("clip.mp4?played"), self.origin.url("clip.mp4?kept")
        self.server.api("POST", "downloads", {"url": kept, "title": "Without the key"})
        page = self.open()
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        self.play(page, played)
        self.eventually(page, "it plays", lambda: page.locator("video").evaluate("video => video.readyState > 1"))
        self.eventually(page, "the download is complete", lambda: [
            one for one in self.server.api("GET", "downloads")["downloads"] if one["state"] == "complete"])
        asset = next(one for one in self.server.api("GET", "assets")["assets"] if one["url"] == kept)
        self.go(page, "#/play/asset/" + asset["id"])
        self.eventually(page, "the asset plays", lambda: [one for one in asked if "/library/" in one])
        self.assertTrue([one for one in asked if f"/play/{self.server.token}/" in one])
        self.assertEqual([one for one in asked if self.server.key in one], [])

    def test_a_link_to_a_url_asks_before_anything_is_fetched(self):
        url = self.origin.url("clip.mp4?linked")
        origin = "/".join(url.split("/")[:3])
        self.server.api("PUT", "header-profiles", {"origin": origin, "headers": {"X-Secret": "1"}})
        page = self.open()
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        self.go(page, "#/play/url/" + quote(url, safe=""))
        main = page.get_by_role("main")
        expect(main.get_by_role("heading", level=1)).to_have_text("Play this URL?")
        expect(main).to_contain_text(url)
        self.assertEqual(page.locator("video").count(), 0)
        self.assertEqual([one for one in asked if "/play/" in one or "api/v1/urls" in one or "probe" in one], [])
        self.assertEqual([one for one in self.server.api("GET", "resources")["resources"] if one["url"] == url], [])
        main.get_by_role("button", name="Play", exact=True).click()
        video = page.locator("video")
        self.eventually(page, "it plays", lambda: video.evaluate("video => video.readyState > 1"))
        # Agreed to once, a reload goes on.
        page.reload()
        self.eventually(page, "it plays", lambda: video.evaluate("video => video.readyState > 1"))

    def test_a_link_to_the_url_of_an_asset_plays(self):
        url = self.origin.url("clip.mp4?asset")
        self.server.api("POST", "downloads", {"url": url, "title": "Linked asset"})
        page = self.open("#/play/url/" + quote(url, safe=""))
        self.eventually(page, "it plays", lambda: page.locator("video").evaluate("video => video.readyState > 1"))

    def test_a_server_that_stops_is_said_and_its_return_is_seen(self):
        page = self.open("#/library")
        connection = page.locator("#connection")
        expect(connection).to_be_empty()
        self.watch.allow(r"net::ERR_|Failed to fetch|network error")
        self.server.stop()
        expect(connection).to_contain_text("The server doesn’t answer.")
        self.server.start()
        expect(connection).to_be_empty(timeout=60_000)
        # What happened from then on shows, without a reload.
        self.server.api("POST", "downloads", {"url": self.origin.url("song.m4a"), "title": "After the return"})
        expect(self.item(page, "After the return")).to_contain_text("Complete")

    def test_what_happened_while_the_connection_was_lost_shows_after_it(self):
        self.server.api("POST", "downloads", {"url": self.origin.url("clip.mp4"), "title": "Gone meanwhile"})
        page = self.open("#/library")
        item = self.item(page, "Gone meanwhile")
        expect(item).to_be_visible()
        self.watch.allow(r"net::ERR_|Failed to fetch|network error")
        page.context.set_offline(True)
        self.server.stop()
        expect(page.locator("#connection")).not_to_be_empty()
        self.server.start()
        asset = self.server.downloads()["Gone meanwhile"]["id"]
        self.server.api("DELETE", f"assets/{asset}")
        page.context.set_offline(False)
        expect(page.locator("#connection")).to_be_empty(timeout=60_000)
        expect(item).to_have_count(0)
