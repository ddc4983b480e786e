"""Browsers without native HLS: finished windows are played as files, and the page explains what isn't supported."""

from playwright.sync_api import Locator, Page, expect

from live import LiveStream
from page_case import PageCase
from video import current_time, frame, window_begin

WITHOUT = """
const known = HTMLMediaElement.prototype.canPlayType;
HTMLMediaElement.prototype.canPlayType = function (type) { return /mpegurl/i.test(type) ? "" : known.call(this, type); };
"""


class ShortStream(LiveStream):
    WINDOW_SECONDS = 20


class NoHLSTests(PageCase):
    def test_channel_plays_a_minute_late_and_from_any_time(self):
        stream = LiveStream(self.origin, gaps=[50])
        self.server.api("POST", "channels", {"name": "late", "url": stream.url})
        page = self.open_without()
        self.eventually(page, "almost five minutes are recorded", lambda: self.server.recorded("late") > 290_000)
        # The page receives the event with a short delay.
        page.wait_for_timeout(2_000)
        self.go(page, "#/channels/late")
        video = page.locator("video")
        note = page.locator(".without-live")
        expect(note).to_contain_text("a minute late")
        expect(note).to_contain_text(f"{self.server.page}live/late/index.m3u8")
        self.assert_shows_its_time(page, video, stream)
        second = self.second(video, stream)
        now = page.evaluate("Date.now()") / 1000 - stream.start / 1000
        self.assertTrue(30 < now - second < 120, (second, now))

        slider = page.get_by_role("slider", name="Replay")
        slider.focus()
        page.keyboard.press("Home")
        self.eventually(page, "it plays from the start", lambda: self.second(video, stream) < 20)
        self.assert_shows_its_time(page, video, stream)
        # The window ends at the gap, and the next one starts after it.
        self.eventually(page, "it can seek", lambda: video.evaluate("video => video.duration > 90"))
        video.evaluate("video => { video.currentTime = video.duration - 1 }")
        self.eventually(page, "the next window plays", lambda: self.second(video, stream) > 101)
        self.assertLess(self.second(video, stream), 115)
        self.assert_shows_its_time(page, video, stream)

    def test_channel_that_stops_within_a_minute_plays(self):
        self.origin.aliases["/short"] = "/live"
        stream = ShortStream(self.origin, "short/now.m3u8")
        self.server.api("POST", "channels", {"name": "short", "url": stream.url})
        page = self.open_without()
        self.eventually(page, "ten seconds are recorded", lambda: self.server.recorded("short") > 10_000)
        self.go(page, "#/channels/short")
        error = page.locator("#player-error")
        expect(error).to_contain_text("Playback starts when a minute has been recorded")
        self.server.api("PATCH", "channels/short", {"state": "stopped"})
        expect(error).to_be_hidden()
        self.assert_shows_its_time(page, page.locator("video"), stream)

    def test_unplayable_stream_shows_its_address(self):
        page = self.open_without()
        url = self.origin.url("film/index.m3u8")
        self.play(page, url)
        error = page.locator("#player-error")
        expect(error).to_contain_text("Download the stream")
        expect(error).to_contain_text("/play/")

    def open_without(self) -> Page:
        page = self.context().new_page()
        page.context.add_init_script(WITHOUT)
        self.go(page, "", with_key=True)
        return page

    def second(self, video: Locator, stream: LiveStream) -> float:
        return stream.second(window_begin(video)) + current_time(video)

    def assert_shows_its_time(self, page: Page, video: Locator, stream: LiveStream):
        self.assertIn(".mp4", self.eventually(page, "it has a source", lambda: video.get_attribute("src")))
        self.eventually(page, "it plays", lambda: video.evaluate(
            "video => video.readyState > 2 && !video.paused && !video.seeking && video.currentTime > 0"))
        picture = frame(video)
        begin = stream.second(window_begin(video))
        self.assertAlmostEqual(picture["code"] + 0.5, begin + picture["time"], delta=1.5)
