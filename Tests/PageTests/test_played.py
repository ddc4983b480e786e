"""The list of played media, which shows a stream as one item."""

from playwright.sync_api import expect

from page_case import PageCase
from video import current_time


class PlayedTests(PageCase):
    def test_lists_played_media_and_adds_and_removes_it(self):
        page = self.open()
        for path in ("film/index.m3u8", "song.m4a"):
            self.play(page, self.origin.url(path))
            media = page.locator("video, audio").first
            self.eventually(page, f"{path} plays", lambda: current_time(media) > 1)
        self.go(page, "#/played")
        played = page.get_by_role("list", name="Played")
        rows = played.get_by_role("listitem")
        # The variants, renditions and segments of the stream aren't items.
        expect(rows).to_have_count(2)
        film, song = self.item(page, "film"), self.item(page, "song")
        expect(film).to_contain_text("of 30 segments")
        expect(song.get_by_role("link", name="Play song")).to_be_visible()

        song.get_by_role("button", name="Add song to the library").click()
        expect(rows).to_have_count(1)
        film.get_by_role("button", name="Remove film").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
        expect(page.get_by_role("heading", name="Nothing played yet")).to_be_visible()
        self.eventually(page, "the film is removed from the cache", lambda: all(
            "/film/" not in resource["url"] for resource in self.server.api("GET", "resources")["resources"]))
