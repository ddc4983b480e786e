"""Streams in fragments, which the page appends through Media Source Extensions."""

from playwright.sync_api import Locator, Page, expect

from live import LiveStream
from media import LIVE_SECONDS, SEGMENT_SECONDS
from page_case import PageCase
from video import current_time, frame, is_black, playing_second, set_rate

BUFFERED = """
({ buffered }) => [...Array(buffered.length).keys()].map(at => [buffered.start(at), buffered.end(at)])
"""
#: Refuses to buffer more than twelve seconds.
SMALL_BUFFER = """
const append = SourceBuffer.prototype.appendBuffer;
window.refusals = 0;
SourceBuffer.prototype.appendBuffer = function (bytes) {
    let seconds = 0;
    for (let at = 0; at < this.buffered.length; at++) seconds += this.buffered.end(at) - this.buffered.start(at);
    if (seconds > 12) {
        window.refusals++;
        throw new DOMException("The quota is exceeded.", "QuotaExceededError");
    }
    return append.call(this, bytes);
};
"""
WITHOUT_H264 = """
const known = MediaSource.isTypeSupported.bind(MediaSource);
MediaSource.isTypeSupported = type => !/avc1/.test(type) && known(type);
"""
#: Rows of a track, read from lists that change.
READ_ROWS = """async ([base, axis, lists]) => {
    const { SegmentRows } = await import(base + "page/rows.js");
    const queries = [];
    const rows = new SegmentRows({ readRows: async (query) => {
        queries.push(query);
        return lists.shift();
    } }, axis);
    await rows.begin();
    while (lists.length) await rows.extend();
    return { queries, places: rows.rows.map(({ number, place }) => [number, place]), start: rows.start, end: rows.end,
        isComplete: rows.isComplete, origin: rows.timeOf(0) };
}"""


class StreamTests(PageCase):
    def test_plays_from_any_position_with_limited_buffer(self):
        page, video = self.play_path("live/index.m3u8")
        self.assertAlmostEqual(video.evaluate("video => video.duration"), LIVE_SECONDS, delta=1)
        self.assert_shows_position(page, video)
        set_rate(video, 0.25)
        for position in (500, 20, 505, 0):
            video.evaluate("(video, position) => { video.currentTime = position }", position)
            self.eventually(page, f"it plays at {position} s",
                            lambda: position <= (playing_second(video) or -1) <= position + 4)
            self.assert_shows_position(page, video)
        video.evaluate("video => { video.currentTime = 300; video.playbackRate = 8 }")
        self.eventually(page, "it plays for a minute and a half", lambda: current_time(video) > 390)
        video.evaluate("video => { video.playbackRate = 1 }")
        for begin, end in video.evaluate(BUFFERED):
            self.assertGreater(begin, current_time(video) - 40)
            self.assertLess(end, current_time(video) + 40)
        video.evaluate("(video, end) => { video.currentTime = end - 3 }", LIVE_SECONDS)
        self.eventually(page, "it ends", lambda: video.evaluate("video => video.ended"))
        expect(page.locator("#player-error")).to_be_hidden()

    def test_continues_after_discontinuity(self):
        # Two clocks: seconds 0 to 10, then seconds 400 to 410.
        lines = [self.lines(range(5)), self.lines(range(200, 205))]
        page, video = self.play_playlist("jump", "#EXT-X-DISCONTINUITY\n".join(lines))
        self.assertAlmostEqual(video.evaluate("video => video.duration"), 20, delta=0.5)
        self.eventually(page, "it plays the second clock", lambda: (playing_second(video) or 0) > 400)
        set_rate(video, 0.25)
        picture = frame(video)
        self.assertAlmostEqual(picture["code"] + 0.5, picture["time"] + 390, delta=1)
        video.evaluate("video => { video.currentTime = 4 }")
        self.eventually(page, "it plays the first clock", lambda: 4 <= (playing_second(video) or -1) <= 8)
        self.assert_shows_position(page, video)
        video.evaluate("video => { video.currentTime = 15 }")
        self.eventually(page, "it plays the second clock", lambda: 405 <= (playing_second(video) or -1) <= 409)
        set_rate(video, 1)
        self.eventually(page, "it ends", lambda: video.evaluate("video => video.ended"))

    def test_continues_after_unannounced_new_clock(self):
        page, video = self.play_playlist("silent", self.lines(range(300, 305)) + self.lines(range(10, 15)))
        self.eventually(page, "it plays the first clock", lambda: 600 <= (playing_second(video) or -1) < 610)
        self.eventually(page, "it plays the second clock", lambda: 10 <= (playing_second(video) or -1) < 200)
        picture = frame(video)
        self.assertAlmostEqual(picture["code"] + 0.5, picture["time"] + 10, delta=1)

    def test_skips_damaged_and_missing_segments(self):
        self.origin.answer("scratch/index3.ts", 200, "0" * 4000, "video/mp2t")
        self.origin.answer("scratch/index4.ts", 404, "gone")
        page, video = self.play_playlist("scratch", self.lines(range(10)))

        def later() -> int | None:
            """Returns the shown second if it is after the first three segments, or None."""
            second = playing_second(video)
            return second if second is not None and second > 5 else None

        self.assertGreaterEqual(self.eventually(page, "it plays on", later), 10)
        self.assert_shows_position(page, video)
        expect(page.locator("#notices")).to_contain_text("4 seconds missing (0:06–0:10).")

    def test_plays_on_with_small_buffer(self):
        page = self.open_with(SMALL_BUFFER)
        self.play(page, self.origin.url("live/index.m3u8"))
        video = page.locator("video")
        self.eventually(page, "it plays", lambda: playing_second(video) is not None)
        video.evaluate("video => { video.playbackRate = 4 }")
        self.eventually(page, "it plays for forty seconds", lambda: (playing_second(video) or 0) > 40)
        self.assertGreater(page.evaluate("window.refusals"), 0)
        expect(page.locator("#player-error")).to_be_hidden()

    def test_names_unsupported_codec(self):
        page = self.open_with(WITHOUT_H264)
        self.play(page, self.origin.url("live/index.m3u8"))
        note = page.locator(".obstacles")
        expect(note).to_contain_text("No picture: this browser doesn’t support H.264 (avc1.")
        video = page.locator("video")
        self.eventually(page, "the sound plays", lambda: current_time(video) > 1)
        self.assertEqual(video.evaluate("video => video.videoWidth"), 0)

    def test_names_unsupported_codec_of_stream_without_sound(self):
        page = self.open_with(WITHOUT_H264)
        self.play(page, self.origin.url("film/v240/index.m3u8"))
        expect(page.locator("#player-error")).to_contain_text(
            "Playback failed. This browser doesn’t support H.264 (avc1.")

    def test_live_stream_of_url_plays_near_its_edge(self):
        self.origin.aliases["/direct"] = "/live"
        stream = LiveStream(self.origin, "direct/now.m3u8")
        page, video = self.play_path("direct/now.m3u8")
        first = self.eventually(page, "it plays", lambda: playing_second(video))
        self.assertLess(stream.second(page.evaluate("Date.now()")) - first, 20)
        before = current_time(video)
        video.evaluate("video => { video.currentTime -= 100 }")
        self.eventually(page, "it plays an earlier part", lambda: abs((playing_second(video) or 0) - first + 100) < 10)
        self.eventually(page, "it plays on", lambda: (playing_second(video) or 0) > first - 90)
        video.evaluate("(video, at) => { video.currentTime = at }", before)
        self.eventually(page, "it plays the later part", lambda: (playing_second(video) or 0) >= first)
        self.eventually(page, "new segments play", lambda: (playing_second(video) or 0) > first + 12)

    def test_plays_downloaded_film_and_incomplete_download(self):
        self.origin.aliases["/slow"] = "/film"
        self.origin.rate = 100_000
        self.addCleanup(setattr, self.origin, "rate", None)
        self.server.api(
            "POST", "downloads", {"url": self.origin.url("slow/index.m3u8"), "title": "Slow", "variant": "240"})
        page = self.open()
        self.eventually(page, "it is downloading", lambda: self.server.downloads()["Slow"]["bytes"] > 100_000)
        self.go(page, "#/play/asset/" + self.server.downloads()["Slow"]["id"])
        video = page.locator("video")
        self.eventually(page, "it plays", lambda: current_time(video) > 1)
        video.evaluate("video => { video.currentTime = 50 }")
        self.eventually(page, "it plays what isn't downloaded yet", lambda: current_time(video) > 51)
        self.assertFalse(is_black(frame(video)))

    def test_live_rows_keep_their_positions(self):
        page = self.open()
        found = page.evaluate(READ_ROWS, [self.server.page, "window", [
            live_list(range(5, 8)), live_list(range(7, 10)), live_list(range(14, 16)), live_list(range(15, 17), False),
        ]])
        self.assertEqual(found["queries"], ["", "after=6", "after=8", "after=14"])
        # Four segments were never listed.
        self.assertEqual(found["places"], [[5, 0], [6, 2], [7, 4], [8, 6], [9, 8], [14, 18], [15, 20], [16, 22]])
        self.assertEqual((found["start"], found["end"], found["isComplete"]), (20, 24, True))

    def test_rows_of_recording_are_read_in_ranges(self):
        page = self.open()
        start = 1_790_000_000
        found = page.evaluate(READ_ROWS, [self.server.page, "wallClock", [
            recorded_list(start, range(3), is_truncated=True), recorded_list(start, range(2, 5)),
            recorded_list(start, range(4, 5), is_live=False), recorded_list(start, range(4, 5), is_live=False),
        ]])
        self.assertEqual(found["queries"], [
            "", f"from={start + 4}&to={start + 604}", f"from={start + 8}&to={start + 608}", f"from={start + 8}"])
        self.assertEqual(found["places"], [[0, 0], [1, 2], [2, 4], [3, 6], [4, 8]])
        self.assertEqual((found["origin"], found["end"], found["isComplete"]), (start, 10, True))

    def test_rows_of_recording_continue_after_removed_range(self):
        page = self.open()
        start = 1_790_000_000
        found = page.evaluate(READ_ROWS, [self.server.page, "wallClock", [
            recorded_list(start, range(3), is_truncated=True), {"isLive": True, "segments": []},
            recorded_list(start, range(10, 12)),
        ]])
        self.assertEqual(found["queries"], ["", f"from={start + 4}&to={start + 604}", f"from={start + 4}"])
        self.assertEqual(found["places"], [[0, 0], [1, 2], [2, 4], [10, 20], [11, 22]])

    def lines(self, numbers) -> str:
        return "".join(f"#EXTINF:{SEGMENT_SECONDS},\nindex{number}.ts\n" for number in numbers)

    def play_playlist(self, name: str, lines: str) -> tuple[Page, Locator]:
        """Plays a playlist of segments of the live stream."""
        self.origin.aliases["/" + name] = "/live"
        self.origin.answer(
            f"{name}/film.m3u8", 200, f"#EXTM3U\n#EXT-X-TARGETDURATION:{SEGMENT_SECONDS}\n{lines}#EXT-X-ENDLIST\n",
            "application/vnd.apple.mpegurl")
        return self.play_path(f"{name}/film.m3u8")

    def play_path(self, path: str) -> tuple[Page, Locator]:
        page = self.open()
        self.watch.allow(r"status of (4\d\d|5\d\d)")
        self.play(page, self.origin.url(path))
        video = page.locator("video")
        self.eventually(page, "it plays", lambda: playing_second(video) is not None)
        return page, video

    def open_with(self, script: str) -> Page:
        page = self.context().new_page()
        page.context.add_init_script(script)
        self.go(page, "", with_key=True)
        return page

    def assert_shows_position(self, page: Page, video: Locator):
        self.eventually(page, "it plays", lambda: playing_second(video) is not None)
        picture = frame(video)
        self.assertAlmostEqual(picture["code"] + 0.5, picture["time"], delta=1)


def live_list(numbers, is_live: bool = True) -> dict:
    """Returns the segments of a live playlist, whose times begin at 0."""
    rows = [row(number, 2 * (number - numbers[0])) for number in numbers]
    return {"isLive": is_live, "targetDuration": 2, "isTruncated": False, "segments": rows,
            "range": {"start": 0, "end": 2 * len(rows)}}


def recorded_list(start: float, numbers, is_live: bool = True, is_truncated: bool = False) -> dict:
    rows = [row(number, start + 2 * number) for number in numbers]
    return {"isLive": is_live, "targetDuration": 2, "isTruncated": is_truncated, "segments": rows,
            "range": {"start": rows[0]["start"], "end": rows[-1]["start"] + 2}}


def row(number: int, start: float) -> dict:
    return {"number": number, "start": start, "duration": 2, "discontinuity": 0, "isGap": False}
