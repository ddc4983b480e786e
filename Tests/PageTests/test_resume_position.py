"""The playback position after a reload."""

from playwright.sync_api import expect

from page_case import PageCase
from video import current_time


class ResumePositionTests(PageCase):
    def test_reload_resumes_at_position_and_offers_start_over(self):
        page = self.open()
        self.play(page, self.origin.url("clip.mp4"))
        video = page.locator("video")
        self.eventually(page, "it plays", lambda: current_time(video) > 0.5)
        video.evaluate("video => { video.currentTime = 9 }")
        self.eventually(page, "it plays there", lambda: current_time(video) > 9.5)
        page.reload()
        self.eventually(page, "it resumes", lambda: current_time(video) > 9)
        note = page.locator(".resumed")
        expect(note).to_contain_text("Resumed at 0:")
        note.get_by_role("button", name="Start over").click()
        self.eventually(page, "it starts over", lambda: 0 < current_time(video) < 5)
        expect(note).to_be_hidden()
        video.evaluate("video => { video.pause(); video.currentTime = 1 }")
        page.reload()
        self.eventually(page, "it plays from the start", lambda: 0 < current_time(video) < 5)
        expect(note).to_be_hidden()
