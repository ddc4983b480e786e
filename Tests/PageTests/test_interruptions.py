"""Resumption of streams after an outage of their origin or of the server."""

from playwright.sync_api import Locator, Page, expect

from live import LiveStream
from page_case import PageCase
from video import current_time, playing_second

NOISE = r"status of (4\d\d|5\d\d)|net::ERR_|Failed to fetch|network error|MEDIA|media"
MESSAGE = "Trying to resume playback at "
#: Whether the request for a fragment is repeated after each of some problems.
REPEATS = """async ([base, problems]) => {
    const { TrackFeeder } = await import(base + "page/feeder.js");
    const { Problem } = await import(base + "page/api.js");
    const stream = { source: { addSourceBuffer: () => null }, signal: new AbortController().signal, report() {} };
    return Promise.all(problems.map((problem) => {
        const feeder = new TrackFeeder(stream, {}, {});
        feeder.advance = async () => { throw new Problem({ title: "It failed", ...problem }); };
        return feeder.step().then(() => true, () => false);
    }));
}"""


class InterruptionTests(PageCase):
    def test_channel_resumes_at_live_edge_after_origin_outage(self):
        stream = LiveStream(self.origin, "outage/now.m3u8")
        self.origin.aliases["/outage"] = "/live"
        page, video = self.watch_channel("outage", stream)
        self.origin.stop()
        page.wait_for_timeout(18_000)
        self.origin.start()
        self.assert_plays_live(page, video, stream)

    def test_channel_resumes_after_server_restart(self):
        stream = LiveStream(self.origin, "restart/now.m3u8")
        self.origin.aliases["/restart"] = "/live"
        page, video = self.watch_channel("restart", stream)
        self.server.stop()
        page.wait_for_timeout(12_000)
        self.server.start()
        self.assert_plays_live(page, video, stream)

    def test_channel_continues_when_recording_resumes(self):
        stream = LiveStream(self.origin, "stopped/now.m3u8")
        self.origin.aliases["/stopped"] = "/live"
        page, _ = self.watch_channel("stopped", stream)
        self.server.api("PATCH", "channels/stopped", {"state": "stopped"})
        self.go(page, "#/channels")
        self.go(page, "#/channels/stopped")
        page.get_by_role("slider", name="Replay").press("End")
        video = page.locator("video")
        self.eventually(page, "the video ends", lambda: video.evaluate("video => video.ended"))
        self.server.api("PATCH", "channels/stopped", {"state": "recording"})
        self.assert_plays_live(page, video, stream)

    def test_channel_that_has_just_begun_plays_on(self):
        # The first segment has the number 0.
        stream = LiveStream(self.origin, "young/now.m3u8", age=9)
        self.origin.aliases["/young"] = "/live"
        page, video = self.watch_channel("young", stream, recorded=6_000)
        page.wait_for_timeout(20_000)
        self.assert_plays_live(page, video, stream)

    def test_played_stream_resumes_at_position(self):
        self.origin.aliases["/through"] = "/film"
        self.origin.rate = 150_000
        page = self.open()
        self.watch.allow(NOISE)
        self.play(page, self.origin.url("through/v540/index.m3u8"))
        video = page.locator("video")
        self.eventually(page, "it plays", lambda: current_time(video) > 3)
        self.origin.stop()
        error = page.locator("#player-error")
        expect(error).to_contain_text(MESSAGE + "0:")
        expect(error.get_by_role("button", name="Try again")).to_be_visible()
        at = current_time(video)
        page.wait_for_timeout(5_000)
        expect(error).to_contain_text(MESSAGE + "0:")
        self.origin.rate = None
        self.origin.start()
        self.eventually(page, "it resumes", lambda: current_time(video) > at + 4)
        self.assertLess(current_time(video), at + 20)
        expect(error).to_be_hidden()

    def test_try_again_continues_at_once(self):
        self.origin.aliases["/again"] = "/live"
        self.origin.rate = 60_000
        page = self.open()
        self.watch.allow(NOISE)
        self.play(page, self.origin.url("again/index.m3u8"))
        video = page.locator("video")
        self.eventually(page, "it plays", lambda: playing_second(video) is not None)
        self.origin.stop()
        error = page.locator("#player-error")
        expect(error).to_contain_text(MESSAGE + "0:")
        # By now, the pauses between attempts are 15 s and longer. The origin returns at the beginning of a pause.
        page.wait_for_timeout(20_000)
        failures = []
        page.on("response", lambda response: response.status >= 400 and failures.append(response.url))
        self.eventually(page, "another attempt fails", lambda: failures)
        at = current_time(video)
        self.origin.rate = None
        self.origin.start()
        error.get_by_role("button", name="Try again").click()
        # The next automatic attempt is at least 15 s away.
        self.eventually(page, "it resumes", lambda: current_time(video) > at + 1, within=12)
        expect(error).to_be_hidden()

    def test_stream_that_never_played_fails(self):
        self.origin.answer("never/index.m3u8", 404, "gone")
        page = self.open()
        self.watch.allow(NOISE)
        self.play(page, self.origin.url("never/index.m3u8"))
        expect(page.locator("#player-error")).to_contain_text("Playback failed")

    def test_repeats_requests_that_may_succeed_later(self):
        page = self.open()
        problems = [
            {"status": 502, "retryable": True}, {"status": 418, "retryable": True}, {"status": 502, "retryable": False},
            # The response isn't a problem, or it's one of the server itself.
            {"status": 503}, {"status": 429}, {"status": 403},
        ]
        repeated = page.evaluate(REPEATS, [self.server.page, problems])
        self.assertEqual(repeated, [True, True, False, True, True, False])

    def test_lasting_error_of_origin_ends_playback(self):
        self.origin.aliases["/paid"] = "/live"
        self.origin.answer("paid/index5.ts", 402, "pay first")
        self.origin.rate = 60_000
        self.addCleanup(setattr, self.origin, "rate", None)
        page = self.open()
        self.watch.allow(NOISE)
        self.play(page, self.origin.url("paid/index.m3u8"))
        video = page.locator("video")
        self.eventually(page, "it plays", lambda: playing_second(video) is not None)
        expect(page.locator("#player-error")).to_contain_text("The origin refused the request (402)")
        page.wait_for_timeout(1_000)
        requests = len(self.origin.requests("paid/index5.ts"))
        page.wait_for_timeout(3_000)
        self.assertEqual(len(self.origin.requests("paid/index5.ts")), requests)

    def watch_channel(self, name: str, stream: LiveStream, recorded: int = 270_000) -> tuple[Page, Locator]:
        self.server.api("POST", "channels", {"name": name, "url": stream.url})
        page = self.open()
        self.watch.allow(NOISE)
        self.eventually(page, f"{recorded} ms are recorded", lambda: self.server.recorded(name) > recorded)
        self.go(page, f"#/channels/{name}")
        video = page.locator("video")
        first = self.eventually(page, "it plays", lambda: playing_second(video))
        self.eventually(page, "it plays on", lambda: (playing_second(video) or 0) > first + 2)
        return page, video

    def assert_plays_live(self, page: Page, video: Locator, stream: LiveStream):
        def edge() -> int | None:
            """Returns the shown second if it is near the live edge."""
            second = playing_second(video)
            now = page.evaluate("Date.now()") / 1000 - stream.start / 1000
            return second if second is not None and now - second < 25 else None

        first = self.eventually(page, "it shows the live edge again", edge, within=90)
        self.eventually(page, "it plays on", lambda: (playing_second(video) or 0) > first + 5)
        expect(page.locator("#player-error")).to_be_hidden()
