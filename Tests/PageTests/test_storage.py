"""The limits in the storage view, and evicted data."""

from playwright.sync_api import expect

from page_case import PageCase


class StorageTests(PageCase):
    server_options = ("--max-size", "2GB")

    def test_shows_limit_and_removal_rule(self):
        page = self.open("#/storage")
        usage = page.get_by_role("region", name="Disk usage", exact=True)
        expect(usage).to_contain_text("Cache limit: 2.0 GB, including downloads and recordings.")
        expect(usage).to_contain_text("Only played media is removed")

    def test_unrepaired_damage_is_explained(self):
        page = self.open("#/storage")
        finding = {"key": "http://host.example/a.mp4", "start": 0, "end": 9, "problem": "lost", "isRepaired": False}
        report = {"resources": 1, "bytes": 100, "findings": [finding]}
        page.route("**/api/v1/verify", lambda route: route.fulfill(json=report))
        problems = page.get_by_role("region", name="Problems")
        page.get_by_role("button", name="Check the cache").click()
        expect(problems).to_contain_text("The cache has 1 damaged range. Check it again with “Repair damaged files”")
        page.get_by_role("checkbox", name="Repair damaged files").check()
        page.get_by_role("button", name="Check the cache").click()
        expect(problems).to_contain_text("1 damaged range couldn’t be downloaded again. Check whether the origins")

    def test_bar_is_in_proportion(self):
        page = self.open()
        found = self.server.api("GET", "storage")
        found["usage"].update(bytes=200_004_000, coverBytes=0, freeDiskBytes=600_000_000)
        found["items"] = [{"kind": "asset", "id": "abcdefghijkl", "title": "A film", "bytes": 200_000_000},
                          {"kind": "file", "id": "http://host.example/a.mp4", "bytes": 4_000}]
        page.route("**/api/v1/storage", lambda route: route.fulfill(json=found))
        self.go(page, "#/storage")
        bar = page.get_by_role("img", name="Disk usage: Library 200 MB, Played 4.0 kB, Free disk space 600 MB")
        library, played, free = bar.locator("i").evaluate_all(
            "parts => parts.map((part) => part.getBoundingClientRect().width)")
        self.assertAlmostEqual(library * 3, free, delta=6)
        self.assertTrue(0 < played < 5, played)

    def test_coverage_bar_shows_evicted_segments(self):
        self.server.api("POST", "downloads", {"url": self.origin.url("film/index.m3u8"), "title": "Evicted"})
        page = self.open()
        self.eventually(
            page, "it is complete", lambda: self.server.downloads()["Evicted"]["state"] == "complete", within=80)
        asset = self.server.downloads()["Evicted"]["id"]
        self.go(page, f"#/play/asset/{asset}")
        bar = page.locator("#coverage-bar")
        expect(bar).to_have_attribute("data-cached", "1.0000")
        parts = self.server.api("GET", f"bundles?asset={asset}")["contents"]["parts"]
        # The download is pinned, so the server evicts nothing.
        page.evaluate("""async ([base, urls]) => {
            const { apply } = await import(base + "page/store.js");
            for (const resource of urls) apply({ event: "resource.evicted", resource });
        }""", [self.server.page, [part["url"] for part in parts if part["role"] == "mediaSegment"]])
        expect(bar).to_have_attribute("data-cached", "0.0000")
