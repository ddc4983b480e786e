"""Labels that distinguish items with the same title."""

from playwright.sync_api import Page, expect

from page_case import PageCase
from video import current_time


class TitleTests(PageCase):
    def test_items_with_same_title_show_distinguishing_labels(self):
        self.origin.aliases.update({"/one/v.mp4": "/clip.mp4", "/two/v.mp4": "/clip.mp4"})
        for path in ("one/v.mp4", "two/v.mp4"):
            self.server.api("POST", "downloads", {"url": self.origin.url(path)})
        self.server.api("POST", "downloads", {"url": self.origin.url("song.m4a"), "title": "A song"})
        page = self.open("#/library")
        host = self.origin.url("").split("/")[2]
        for route in ("#/library", "#/downloads"):
            self.go(page, route)
            for folder in ("one", "two"):
                item = page.get_by_role("main").get_by_role("listitem").filter(has_text=f"{host}/{folder}/")
                expect(item.get_by_role("heading", name="v", exact=True)).to_be_visible()
                expect(item.get_by_role("link", name=f"Play v, {host}/{folder}/")).to_be_visible()
            expect(self.item(page, "A song").locator(".from")).to_be_empty()
        self.go(page, "#/storage")
        expect(page.get_by_role("list", name="Largest first")).to_contain_text(f"{host}/two/")

    def test_variants_without_resolution_are_not_called_audio(self):
        variants = [("avc1.640028,mp4a.40.2", 300_000), ("mp4a.40.2", 200_000), (None, 100_000)]
        lines = ["#EXTM3U"]
        for codecs, bandwidth in variants:
            lines += [f"#EXT-X-STREAM-INF:BANDWIDTH={bandwidth}" + (f',CODECS="{codecs}"' if codecs else ""),
                      f"/film/v240/index.m3u8?{bandwidth}"]
        self.origin.answer("bare.m3u8", 200, "\n".join(lines) + "\n", "application/vnd.apple.mpegurl")
        page = self.open()
        dialog = self.add(page, self.origin.url("bare.m3u8"))
        labels = dialog.get_by_role("group", name="Quality").locator("label").all_inner_texts()
        names = {label.split(", ")[1]: label.split(", ")[0] for label in labels}
        self.assertEqual(
            names, {"300 kbit/s": "Unknown resolution", "200 kbit/s": "Audio", "100 kbit/s": "Unknown resolution"})

    def test_next_items_to_be_removed_show_their_folders(self):
        page = self.open()
        self.play_path(page, "film/index.m3u8")
        self.go(page, "#/storage")
        host = self.origin.url("").split("/")[2]
        expect(page.get_by_role("list", name="Next to be removed")).to_contain_text(f"{host}/film/sound-en/")

    def play_path(self, page: Page, path: str):
        self.play(page, self.origin.url(path))
        video = page.locator("video")
        self.eventually(page, "it plays", lambda: current_time(video) > 0.5)
        return video
