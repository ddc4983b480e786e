"""What was played through: a stream is one thing, however many files it has."""

from playwright.sync_api import expect

from page_case import PageCase
from video import current_time


class PlayedTests(PageCase):
    def test_what_was_played_is_listed_by_title_played_again_kept_and_removed(self):
        page = self.open()
        for path in ("film/index.m3u8", "song.m4a"):
            self.play(page, self.origin.url(path))
            media = page.locator("video, audio").first
            self.eventually(page, f"{path} plays", lambda: current_time(media) > 1)
        self.go(page, "#/played")
        list = page.get_by_role("list", name="Played")
        rows = list.get_by_role("listitem")
        # Neither its variants, its sound and its subtitles nor any of their segments is a thing of its own.
        expect(rows).to_have_count(2)
        film, song = self.item(page, "film"), self.item(page, "song")
        expect(film).to_contain_text("of 30 segments")
        expect(song.get_by_role("link", name="Play song")).to_be_visible()

        song.get_by_role("button", name="Make an asset of song").click()
        expect(rows).to_have_count(1)
        film.get_by_role("button", name="Remove film").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
        expect(page.get_by_role("heading", name="Nothing was played through yet")).to_be_visible()
        self.eventually(page, "nothing of the film is kept", lambda: all(
            "/film/" not in resource["url"] for resource in self.server.api("GET", "resources")["resources"]))
