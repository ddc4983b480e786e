"""Adding a URL that is already in the library: its download changes only if the user changes a choice."""

from playwright.sync_api import expect

from page_case import NARROW, PageCase

FILM = {"variant": "360", "audio": "en,de", "subtitles": "none"}


class ExistingDownloadTests(PageCase):
    def test_preselects_existing_choice_and_applies_changes(self):
        self.download("film/index.m3u8", "Colours", **FILM)
        page = self.open()
        dialog = self.add(page, self.origin.url("film/index.m3u8"))
        expect(dialog).to_contain_text("Already in the library: 360p, English and German, no subtitles, complete.")
        expect(dialog.get_by_role("link", name="Open it")).to_be_visible()
        quality = dialog.get_by_role("group", name="Quality").get_by_role("radio")
        expect(quality.nth(1)).to_be_checked()
        german = dialog.get_by_role("group", name="Audio").get_by_role("checkbox", name="German")
        expect(german).to_be_checked()
        expect(dialog.get_by_role("group", name="Subtitles").get_by_role("checkbox", checked=True)).to_have_count(0)
        change = dialog.get_by_role("button", name="Change the download")
        download = dialog.get_by_role("button", name="Download", exact=True)
        expect(download).to_be_disabled()
        note = dialog.locator("#add-change")
        expect(note).to_have_text("Already downloaded.")

        quality.nth(0).check()
        expect(change).to_be_enabled()
        expect(note).to_contain_text("removes 360p")
        expect(note).to_contain_text("downloads 540p")
        page.set_viewport_size(NARROW)
        expect(note).to_be_in_viewport(ratio=1)
        quality.nth(1).check()
        expect(download).to_be_disabled()
        expect(note).to_have_text("Already downloaded.")
        self.assertEqual(self.choice("Colours"), FILM)

        german.uncheck()
        expect(note).to_contain_text("removes German audio")
        change.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Downloads")
        self.assertEqual(self.choice("Colours"), {**FILM, "audio": "en"})
        self.eventually(page, "it is complete again", lambda: self.state("Colours") == "complete")

    def test_preselects_best_variant_of_download_without_selection(self):
        self.origin.aliases["/plain"] = "/film"
        self.download("plain/index.m3u8", "Plain")
        page = self.open()
        dialog = self.add(page, self.origin.url("plain/index.m3u8"))
        expect(dialog).to_contain_text("540p, English, subtitles in English and German, complete")
        expect(dialog.get_by_role("group", name="Quality").get_by_role("radio").nth(0)).to_be_checked()
        expect(dialog.get_by_role("button", name="Download", exact=True)).to_be_disabled()

    def test_file_can_be_resumed_but_not_changed(self):
        self.download("clip.mp4", "Clip")
        page = self.open()
        dialog = self.add(page, self.origin.url("clip.mp4"))
        expect(dialog).to_contain_text("Already in the library: complete.")
        expect(dialog.get_by_role("button", name="Download", exact=True)).to_be_disabled()
        expect(dialog.locator("#add-change")).to_have_text("Already downloaded.")
        dialog.get_by_role("button", name="Cancel").click()

        self.server.api("POST", "downloads", {"url": self.origin.url("song.m4a"), "title": "Song", "paused": True})
        dialog = self.add(page, self.origin.url("song.m4a"))
        dialog.get_by_role("button", name="Resume the download").click()
        self.eventually(page, "it is complete", lambda: self.state("Song") == "complete")

    def download(self, path: str, title: str, **choice: str):
        page = self.open()
        self.server.api("POST", "downloads", {"url": self.origin.url(path), "title": title, **choice})
        self.eventually(page, "it is complete", lambda: self.state(title) == "complete")

    def state(self, title: str) -> str:
        return self.server.downloads()[title]["state"]

    def choice(self, title: str) -> dict[str, str]:
        record = self.server.downloads()[title]
        return {name: record[name] for name in FILM}
