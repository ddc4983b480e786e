"""The API key, consent to playback, and lost connections."""

from urllib.parse import quote

from playwright.sync_api import expect

from page_case import PageCase


class AccessTests(PageCase):
    def test_stores_key_from_address_and_removes_it_from_address(self):
        page = self.open()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")
        self.assertNotIn(self.server.key, page.url)
        self.assertFalse(page.evaluate("key => document.documentElement.outerHTML.includes(key)", self.server.key))
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")

    def test_stores_key_from_address_after_failed_check(self):
        page = self.context().new_page()
        self.watch.allow("net::ERR_")
        page.route("**/api/v1/server", lambda route: route.abort(), times=1)
        page.goto(self.server.address)
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")

    def test_asks_for_missing_key(self):
        page = self.open(with_key=False)
        self.watch.allow("401")
        expect(page.get_by_role("heading", level=1)).to_have_text("Enter the API key")
        page.get_by_role("textbox", name="Key").fill(self.server.key)
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")

    def test_reports_rejected_key_and_accepts_correction(self):
        context = self.context()
        self.watch.allow("401")
        page = context.new_page()
        page.goto(self.server.page + "#key=0123456789abcdef0123456789abcdef")
        expect(page.get_by_role("alert").filter(has_text="The server rejected this key")).to_be_visible()
        page.get_by_role("textbox", name="Key").fill("wrong again")
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.get_by_role("alert").filter(has_text="The server rejected this key")).to_be_visible()
        page.get_by_role("textbox", name="Key").fill(self.server.key)
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")

    def test_rejected_key_in_address_does_not_replace_stored_key(self):
        page = self.open()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")
        self.watch.allow("401")
        for is_new_load in (True, False):
            # The page is either loaded with the key, or already open when a link with the key is followed.
            if is_new_load:
                page.goto("about:blank")
            page.goto(self.server.page + "#key=0123456789abcdef0123456789abcdef")
            expect(page.get_by_text("The server rejected the key in the address.").last).to_be_visible()
            expect(page.get_by_role("heading", level=1)).to_have_text("Library")
            self.assertNotIn("key=", page.url)
            self.assertEqual(page.evaluate("localStorage.getItem('mediacache.key')"), self.server.key)
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")

    def test_asks_for_new_key_after_key_is_replaced(self):
        page = self.open()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")
        self.watch.allow("401")
        self.server.roll_key()
        expect(page.get_by_role("heading", level=1)).to_have_text("Enter the API key")
        page.get_by_role("textbox", name="Key").fill(self.server.key)
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")

    def test_request_urls_do_not_contain_key(self):
        played, downloaded = self.origin.url("clip.mp4?played"), self.origin.url("clip.mp4?downloaded")
        self.server.api("POST", "downloads", {"url": downloaded, "title": "Without the key"})
        page = self.open()
        requested = []
        page.on("request", lambda request: requested.append(request.url))
        self.play(page, played)
        self.wait_for_frame(page)
        self.eventually(page, "the download is complete", lambda: [
            one for one in self.server.api("GET", "downloads")["downloads"] if one["state"] == "complete"])
        asset = next(one for one in self.server.api("GET", "assets")["assets"] if one["url"] == downloaded)
        self.go(page, "#/play/asset/" + asset["id"])
        self.eventually(page, "the asset plays", lambda: [one for one in requested if "/library/" in one])
        self.assertTrue([one for one in requested if f"/play/{self.server.token}/" in one])
        self.assertEqual([one for one in requested if self.server.key in one], [])

    def test_link_to_url_asks_for_consent_before_fetching(self):
        url = self.origin.url("clip.mp4?linked")
        origin = "/".join(url.split("/")[:3])
        self.server.api("PUT", "header-profiles", {"origin": origin, "headers": {"X-Secret": "1"}})
        page = self.open()
        requested = []
        page.on("request", lambda request: requested.append(request.url))
        self.go(page, "#/play/url/" + quote(url, safe=""))
        main = page.get_by_role("main")
        expect(main.get_by_role("heading", level=1)).to_have_text("Play this URL?")
        expect(main).to_contain_text(url)
        self.assertEqual(page.locator("video").count(), 0)
        self.assertEqual([one for one in requested if "/play/" in one or "api/v1/urls" in one or "probe" in one], [])
        self.assertEqual([one for one in self.server.api("GET", "resources")["resources"] if one["url"] == url], [])
        main.get_by_role("button", name="Play", exact=True).click()
        self.wait_for_frame(page)
        # A reload needs no further consent.
        page.reload()
        self.wait_for_frame(page)

    def test_unknown_address_shows_library(self):
        page = self.open()
        for fragment, view in (("downloads", "downloads"), ("constructor", "library")):
            page.evaluate("fragment => { location.hash = `#/${fragment}`; }", fragment)
            self.eventually(
                page, f"{view} is shown", lambda: page.locator("main").get_attribute("class") == f"view-{view}")

    def test_address_of_played_url_does_not_contain_password(self):
        url = self.origin.url("clip.mp4?login").replace("://", "://user:word@")
        page = self.open()
        requested = []
        page.on("request", lambda request: requested.append(request.url))
        self.add(page, url).get_by_role("button", name="Play now").click()
        for is_reloaded in (False, True):
            if is_reloaded:
                requested.clear()
                page.reload()
            self.wait_for_frame(page)
            self.assertNotIn("word", page.url)
            # The server requests the URL as the user.
            self.assertTrue([one for one in requested if "/play/" in one and "profile=" in one], requested)

    def test_link_to_url_of_asset_plays_without_consent(self):
        url = self.origin.url("clip.mp4?asset")
        self.server.api("POST", "downloads", {"url": url, "title": "Linked asset"})
        page = self.open("#/play/url/" + quote(url, safe=""))
        self.wait_for_frame(page)

    def test_reports_stopped_server_and_reconnects(self):
        page = self.open("#/library")
        connection = page.locator("#connection")
        expect(connection).to_be_empty()
        self.watch.allow(r"net::ERR_|Failed to fetch|network error")
        self.server.stop()
        expect(connection).to_contain_text("The server isn’t responding.")
        self.server.start()
        expect(connection).to_be_empty(timeout=60_000)
        # Later changes are shown without a reload.
        self.server.api("POST", "downloads", {"url": self.origin.url("song.m4a"), "title": "After reconnecting"})
        expect(self.item(page, "After reconnecting")).to_have_attribute("data-state", "complete")

    def test_slow_reading_of_records_does_not_end_connection(self):
        page = self.context().new_page()
        page.clock.install()
        held = []
        page.route("**/api/v1/assets", lambda route: held.append(route), times=1)
        page.goto(self.server.address)
        self.eventually(page, "the records are requested", lambda: held)
        page.clock.fast_forward(50_000)
        held[0].continue_()
        self.server.api("POST", "downloads", {"url": self.origin.url("song.m4a"), "title": "After a slow start"})
        expect(self.item(page, "After a slow start")).to_be_visible()
        self.assertEqual(self.watch.requests.count("GET /api/v1/events"), 1)

    def test_asset_removed_during_reading_of_records_stays_removed(self):
        self.server.api("POST", "downloads", {"url": self.origin.url("clip.mp4?late"), "title": "Removed late"})
        page = self.open("#/library")
        item = self.item(page, "Removed late")
        expect(item).to_have_attribute("data-state", "complete")
        held = []

        def hold(route):
            held.append((route, route.fetch()))

        page.route("**/api/v1/assets", hold, times=1)
        # The page reads all records again if the server reports dropped events.
        page.evaluate("""base => {
            window.reading = import(base + "page/store.js").then((store) => store.readAll());
        }""", self.server.page)
        self.eventually(page, "the records are read", lambda: held)
        # The page reads an asset whose download was removed, unless it knows already that the asset was removed as well.
        self.watch.allow(r"status of 404 .*/api/v1/assets/")
        self.server.api("DELETE", f"assets/{self.server.downloads()['Removed late']['id']}")
        expect(item).to_have_count(0)
        route, response = held[0]
        route.fulfill(response=response)
        page.evaluate("window.reading")
        listed = page.evaluate("""async base => {
            const { assets } = await import(base + "page/store.js");
            return assets.all.map(({ title }) => title);
        }""", self.server.page)
        self.assertNotIn("Removed late", listed)

    def test_shows_changes_made_while_disconnected(self):
        self.server.api("POST", "downloads", {"url": self.origin.url("clip.mp4"), "title": "Removed meanwhile"})
        page = self.open("#/library")
        item = self.item(page, "Removed meanwhile")
        expect(item).to_be_visible()
        self.watch.allow(r"net::ERR_|Failed to fetch|network error")
        page.context.set_offline(True)
        self.server.stop()
        expect(page.locator("#connection")).not_to_be_empty()
        self.server.start()
        asset = self.server.downloads()["Removed meanwhile"]["id"]
        self.server.api("DELETE", f"assets/{asset}")
        page.context.set_offline(False)
        expect(page.locator("#connection")).to_be_empty(timeout=60_000)
        expect(item).to_have_count(0)
