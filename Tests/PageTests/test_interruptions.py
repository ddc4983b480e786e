"""Streams whose origin or server goes away for a while: they go on by themselves."""

from playwright.sync_api import Error, Locator, Page, expect

from live import LiveStream
from page_case import PageCase
from video import current_time, frame

NOISE = r"status of (4\d\d|5\d\d)|net::ERR_|Failed to fetch|network error|MEDIA|media"
SAID = "The stream was interrupted. It goes on at "


class InterruptionTests(PageCase):
    def test_a_channel_goes_on_at_the_live_edge_after_an_outage(self):
        stream = LiveStream(self.origin, "outage/now.m3u8")
        self.origin.aliases["/outage"] = "/live"
        page, video = self.watch_channel("outage", stream)
        self.origin.stop()
        page.wait_for_timeout(18_000)
        self.origin.start()
        self.assert_plays_live(page, video, stream)

    def test_a_channel_goes_on_after_the_server_was_started_again(self):
        stream = LiveStream(self.origin, "restart/now.m3u8")
        self.origin.aliases["/restart"] = "/live"
        page, video = self.watch_channel("restart", stream)
        self.server.stop()
        page.wait_for_timeout(12_000)
        self.server.start()
        self.assert_plays_live(page, video, stream)

    def test_what_is_played_through_goes_on_where_it_was(self):
        self.origin.aliases["/through"] = "/film"
        self.origin.rate = 150_000
        page = self.open()
        self.watch.allow(NOISE)
        self.play(page, self.origin.url("through/v540/index.m3u8"))
        video = page.locator("video")
        self.eventually(page, "it plays", lambda: current_time(video) > 3)
        self.origin.stop()
        error = page.locator("#player-error")
        expect(error).to_contain_text(SAID + "0:")
        expect(error.get_by_role("button", name="Try again")).to_be_visible()
        at = current_time(video)
        page.wait_for_timeout(5_000)
        expect(error).to_contain_text(SAID + "0:")
        self.origin.rate = None
        self.origin.start()
        self.eventually(page, "it goes on", lambda: current_time(video) > at + 4)
        self.assertLess(current_time(video), at + 20)
        expect(error).to_be_hidden()

    def test_what_never_played_is_not_waited_for(self):
        self.origin.answer("never/index.m3u8", 404, "gone")
        page = self.open()
        self.watch.allow(NOISE)
        self.play(page, self.origin.url("never/index.m3u8"))
        expect(page.locator("#player-error")).to_contain_text("This can’t be played here")

    def watch_channel(self, name: str, stream: LiveStream) -> tuple[Page, Locator]:
        self.server.api("POST", "channels", {"name": name, "url": stream.url})
        page = self.open()
        self.watch.allow(NOISE)

        def seconds() -> float:
            kept = self.server.api("GET", f"channels/{name}")["kept"]
            return kept[-1]["to"] - kept[0]["from"] if kept else 0

        self.eventually(page, "four minutes are kept", lambda: seconds() > 270_000)
        self.go(page, f"#/channels/{name}")
        video = page.locator("video")
        self.eventually(page, "it plays", lambda: current_time(video) > 3)
        return page, video

    def assert_plays_live(self, page: Page, video: Locator, stream: LiveStream):
        def shown() -> int | None:
            """The second of the stream that is on the screen; None while it doesn't play."""
            if not video.evaluate("video => !video.paused && video.readyState > 2 && !video.error"):
                return None
            try:
                return frame(video)["code"]
            except Error:
                return None

        def edge() -> int | None:
            """The same, where it's the live one."""
            second = shown()
            now = page.evaluate("Date.now()") / 1000 - stream.start / 1000
            return second if second is not None and now - second < 25 else None

        first = self.eventually(page, "it shows the live edge again", edge)
        # By what it shows, since its own time begins anew with each load.
        self.eventually(page, "it plays on", lambda: (shown() or 0) > first + 5)
        expect(page.locator("#player-error")).to_be_hidden()
