"""Records that change while the page reads or moves them."""

from playwright.sync_api import expect

from page_case import PageCase


class RecordTests(PageCase):
    def test_overtaken_read_does_not_restore_old_records(self):
        self.server.api("POST", "downloads", {"url": self.origin.url("clip.mp4?newer"), "title": "Newer"})
        page = self.open("#/library")
        expect(self.item(page, "Newer")).to_be_visible()
        titles = page.evaluate("""async base => {
            const { assets } = await import(base + "page/store.js");
            let end;
            const overtaken = assets.replaceAll(() => new Promise((resolve) => { end = resolve; }));
            await assets.replaceAll();
            end([]);
            await overtaken;
            return assets.all.map(({ title }) => title);
        }""", self.server.page)
        self.assertIn("Newer", titles)

    def test_failed_read_after_dropped_events_is_repeated(self):
        page = self.open("#/library")
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")
        self.watch.allow("net::ERR_")
        page.route("**/api/v1/assets", lambda route: route.abort(), times=1)
        before = self.watch.requests.count("GET /api/v1/assets")
        page.evaluate("""async base => {
            const { apply } = await import(base + "page/store.js");
            apply({ event: "dropped" });
        }""", self.server.page)
        self.eventually(page, "the assets are read again",
                        lambda: self.watch.requests.count("GET /api/v1/assets") == before + 2)

    def test_download_removed_while_dragged_leaves_list(self):
        for title in ("Above", "Dragged"):
            url = self.origin.url(f"clip.mp4?{title}")
            self.server.api("POST", "downloads", {"url": url, "title": title, "paused": True})
        page = self.open("#/downloads")
        # The page may ask for the asset after its removal.
        self.watch.allow("404")
        above = self.item(page, "Above").bounding_box()
        page.get_by_role("button", name="Move Dragged").hover()
        page.mouse.down()
        page.mouse.move(above["x"] + 40, above["y"] + 4)
        self.assertIn("dragged", self.item(page, "Dragged").get_attribute("class"))
        dragged = self.server.downloads()["Dragged"]["id"]
        self.server.api("DELETE", f"downloads/{dragged}")
        self.eventually(page, "the page has removed the record", lambda: page.evaluate("""async ([base, id]) => {
            const { downloads } = await import(base + "page/store.js");
            return !downloads.get(id);
        }""", [self.server.page, dragged]))
        page.mouse.up()
        expect(self.item(page, "Dragged")).to_have_count(0)
        expect(self.item(page, "Above")).to_be_visible()
