"""Browsers without native HLS, without Media Source Extensions, and without both."""

from playwright.sync_api import Page, expect

from live import LiveStream
from page_case import PageCase
from video import current_time, frame, is_black, playing_second

WITHOUT_HLS = """
const known = HTMLMediaElement.prototype.canPlayType;
HTMLMediaElement.prototype.canPlayType = function (type) {
    return /mpegurl/i.test(type) ? "" : known.call(this, type);
};
"""
WITHOUT_FRAGMENTS = "delete window.MediaSource;"


class NoHLSTests(PageCase):
    def test_channel_plays_live_and_from_any_time_without_hls(self):
        stream = LiveStream(self.origin, gaps=[50])
        self.server.api("POST", "channels", {"name": "late", "url": stream.url})
        page = self.open_with(WITHOUT_HLS)
        self.eventually(page, "almost five minutes are recorded", lambda: self.server.recorded("late") > 290_000)
        self.go(page, "#/channels/late")
        video = page.locator("video")
        second = self.eventually(page, "it plays", lambda: playing_second(video))
        now = page.evaluate("Date.now()") / 1000 - stream.start / 1000
        self.assertLess(now - second, 20)
        expect(page.get_by_role("button", name="Live")).to_have_attribute("aria-pressed", "true")
        slider = page.get_by_role("slider", name="Replay")
        slider.focus()
        page.keyboard.press("Home")
        self.eventually(page, "it plays from the start", lambda: (playing_second(video) or 99) < 20)
        expect(page.get_by_role("button", name="Live")).to_have_attribute("aria-pressed", "false")

    def test_stream_plays_without_fragments(self):
        page = self.open_with(WITHOUT_FRAGMENTS)
        self.play(page, self.origin.url("film/index.m3u8"))
        video = page.locator("video")
        self.eventually(page, "it plays", lambda: current_time(video) > 1)
        self.assertFalse(is_black(frame(video)))
        self.assertIn(".m3u8", video.get_attribute("src"))

    def test_channel_plays_without_fragments(self):
        self.origin.aliases["/native"] = "/live"
        stream = LiveStream(self.origin, "native/now.m3u8")
        self.server.api("POST", "channels", {"name": "native", "url": stream.url})
        page = self.open_with(WITHOUT_FRAGMENTS)
        self.eventually(page, "almost five minutes are recorded", lambda: self.server.recorded("native") > 290_000)
        self.go(page, "#/channels/native")
        video = page.locator("video")
        second = self.eventually(page, "it plays", lambda: playing_second(video))
        self.assertLess(page.evaluate("Date.now()") / 1000 - stream.start / 1000 - second, 25)

    def test_unplayable_stream_shows_its_address(self):
        page = self.open_with(WITHOUT_HLS + WITHOUT_FRAGMENTS)
        self.play(page, self.origin.url("film/index.m3u8"))
        error = page.locator("#player-error")
        expect(error).to_contain_text("This browser can’t play streams. Open this URL in another player: ")
        expect(error).to_contain_text("/play/")

    def open_with(self, script: str) -> Page:
        page = self.context().new_page()
        page.context.add_init_script(script)
        self.go(page, "", with_key=True)
        return page
