"""Where somebody was in what plays."""

from playwright.sync_api import expect

from page_case import PageCase
from video import current_time


class PlaceTests(PageCase):
    def test_a_reload_goes_on_where_it_was_and_can_begin_anew(self):
        page = self.open()
        self.play(page, self.origin.url("clip.mp4"))
        video = page.locator("video")
        self.eventually(page, "it plays", lambda: current_time(video) > 0.5)
        video.evaluate("video => { video.currentTime = 9 }")
        self.eventually(page, "it plays there", lambda: current_time(video) > 9.5)
        page.reload()
        self.eventually(page, "it goes on", lambda: current_time(video) > 9)
        place = page.locator(".place")
        expect(place).to_contain_text("It began at 0:")
        place.get_by_role("button", name="Begin anew").click()
        self.eventually(page, "it begins anew", lambda: 0 < current_time(video) < 5)
        expect(place).to_be_hidden()
        video.evaluate("video => { video.pause(); video.currentTime = 1 }")
        page.reload()
        self.eventually(page, "it begins at the beginning", lambda: 0 < current_time(video) < 5)
        expect(place).to_be_hidden()
