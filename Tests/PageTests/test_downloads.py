"""The list of ended downloads, and the size of controls on touchscreens."""

from playwright.sync_api import expect

from page_case import NARROW, PageCase


class DownloadsTests(PageCase):
    def test_clears_and_removes_ended_downloads(self):
        self.origin.aliases.update({"/kept.mp4": "/clip.mp4", "/gone.mp4": "/clip.mp4"})
        for name in ("kept", "gone", "missing"):
            self.server.api("POST", "downloads", {"url": self.origin.url(f"{name}.mp4")})
        page = self.open()
        states = {"kept": "complete", "gone": "complete", "missing": "failed"}
        self.eventually(page, "they have ended", lambda: {
            name: record["state"] for name, record in self.server.downloads().items()} == states)
        self.go(page, "#/downloads")
        missing = self.item(page, "missing")
        expect(missing.get_by_role("link", name="Play missing")).to_be_hidden()
        missing.get_by_role("button", name="Remove missing").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
        expect(missing).to_have_count(0)
        self.item(page, "gone").get_by_role("button", name="Remove gone").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
        self.eventually(page, "it is removed", lambda: list(self.server.downloads()) == ["kept"])
        page.get_by_role("button", name="Clear complete").click()
        expect(page.get_by_role("heading", name="No downloads")).to_be_visible()
        page.reload()
        expect(page.get_by_role("heading", name="No downloads")).to_be_visible()
        self.go(page, "#/library")
        expect(self.item(page, "kept")).to_be_visible()
        # A download that is added again is listed again. The page may ask for the asset in the meantime.
        self.watch.allow("404")
        self.server.api("DELETE", f"downloads/{self.server.downloads()['kept']['id']}")
        self.server.api("POST", "downloads", {"url": self.origin.url("kept.mp4")})
        self.go(page, "#/downloads")
        expect(self.item(page, "kept")).to_be_visible()

    def test_controls_are_large_enough_for_fingers(self):
        self.server.api("POST", "downloads", {"url": self.origin.url("song.m4a"), "title": "Touched"})
        page = self.open(viewport=NARROW, has_touch=True, is_mobile=True)
        asset = self.server.downloads()["Touched"]["id"]
        for route in ("#/library", "#/downloads", "#/storage", "#/channels", f"#/play/asset/{asset}"):
            self.go(page, route)
            expect(page.get_by_role("main")).to_have_class("view-" + route.split("/")[1])
            expect(page.get_by_role("main")).not_to_contain_text("Loading")
            page.wait_for_timeout(500)
            small = page.evaluate("""() => [...document.querySelectorAll("button, .button, select, nav a, .back, .link")]
                .filter((one) => one.checkVisibility()).map((one) => [one, one.getBoundingClientRect()])
                .filter(([, box]) => box.height < 43.5 || box.width < 43.5)
                .map(([one, box]) => `${one.outerHTML.slice(0, 80)} ${box.width} x ${box.height}`)""")
            self.assertEqual(small, [], route)
