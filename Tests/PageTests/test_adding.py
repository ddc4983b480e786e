"""Adding URLs: several at once, the order of the library, and dialogs that are closed without a choice."""

from playwright.sync_api import expect

from page_case import PageCase

FIELD = "URL of a video, a song or a stream"
PASTE = """([target, text]) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", text);
    (target ? document.getElementById(target) : document.body).dispatchEvent(
        new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""


class AddingTests(PageCase):
    def test_adds_all_pasted_urls(self):
        self.origin.aliases.update({f"/list-{number}.mp4": "/clip.mp4" for number in range(4)})
        page = self.open()
        for target, numbers in (("add-url", (0, 1)), (None, (2, 3))):
            urls = [self.origin.url(f"list-{number}.mp4") for number in numbers]
            page.evaluate(PASTE, [target, "\n".join(urls) + "\n"])
            if target:
                page.get_by_role("button", name="Add", exact=True).click()
            dialog = page.get_by_role("dialog", name="Add 2 URLs")
            for url in urls:
                expect(dialog).to_contain_text(url)
            dialog.get_by_role("button", name="Download all").click()
            expect(page.get_by_role("heading", level=1)).to_have_text("Downloads")
            for number in numbers:
                expect(self.item(page, f"list-{number}")).to_be_visible()
        expect(page.get_by_role("textbox", name=FIELD)).to_have_value("")

    def test_probed_url_is_not_played(self):
        self.origin.aliases.update({"/probed": "/film", "/probed.mp4": "/clip.mp4", "/probed.m4a": "/song.m4a"})
        page = self.open()
        for path in ("probed/index.m3u8", "probed.mp4"):
            self.add(page, self.origin.url(path))
            page.keyboard.press("Escape")
        self.play(page, self.origin.url("probed.m4a"))
        self.eventually(page, "it plays", lambda: page.locator("video").evaluate("video => video.currentTime > 1"))
        self.go(page, "#/played")
        rows = page.get_by_role("list", name="Played").get_by_role("listitem")
        expect(rows).to_have_count(1)
        expect(rows).to_contain_text("probed.m4a")

    def test_back_closes_dialog(self):
        page = self.open()
        self.go(page, "#/downloads")
        dialog = self.add(page, self.origin.url("clip.mp4"))
        page.go_back()
        expect(dialog).to_be_hidden()
        heading = page.get_by_role("heading", level=1)
        expect(heading).to_have_text("Library")
        expect(heading).to_be_focused()

    def test_main_button_is_last_and_default(self):
        page = self.open()
        dialog = self.add(page, self.origin.url("song.m4a"))
        self.assertEqual(dialog.locator(".buttons button").all_inner_texts(), ["Cancel", "Play now", "Download"])
        dialog.get_by_role("textbox", name="Title").fill("By Enter")
        page.keyboard.press("Enter")
        expect(self.item(page, "By Enter")).to_be_visible()

    def test_newest_items_come_first_while_others_are_added(self):
        page = self.open("#/library")
        names = [f"order-{number}" for number in range(8)]
        for name in names:
            self.origin.aliases[f"/{name}.mp4"] = "/clip.mp4"
            self.server.api("POST", "downloads", {"url": self.origin.url(f"{name}.mp4")})
        titles = page.get_by_role("list", name="Items").get_by_role("heading", level=2)

        def shown() -> list[str]:
            return [title for title in titles.all_inner_texts() if title in names]

        self.eventually(page, "all are shown", lambda: len(shown()) == len(names))
        self.assertEqual(shown(), names[::-1])
        page.reload()
        self.eventually(page, "all are shown again", lambda: len(shown()) == len(names))
        self.assertEqual(shown(), names[::-1])

    def test_only_video_offers_frame_as_cover(self):
        for name in ("song.m4a", "clip.mp4"):
            self.origin.aliases[f"/cover-{name}"] = f"/{name}"
            self.server.api("POST", "downloads", {"url": self.origin.url(f"cover-{name}"), "title": f"Cover {name}"})
        page = self.open()
        for name, count in (("song.m4a", 0), ("clip.mp4", 1)):
            self.eventually(page, "it is complete",
                            lambda: self.server.downloads()[f"Cover {name}"]["state"] == "complete")
            self.go(page, f"#/play/asset/{self.server.downloads()[f'Cover {name}']['id']}")
            self.wait_for_frame(page)
            expect(page.get_by_role("link", name="Save as MP4")).to_be_visible()
            expect(page.get_by_role("button", name="Use this frame as cover")).to_have_count(count)
