"""The key, and a server that goes away and comes back."""

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
