"""Playback over gaps: of a channel's recording, and of a download with missing segments."""

from playwright.sync_api import Locator, Page, expect

from live import LiveStream
from media import SEGMENT_SECONDS
from page_case import PageCase
from video import current_time, frame, playing_second

#: The numbers of the segments that are lost during one minute.
OUTAGE = range(60, 90)


class GapTests(PageCase):
    def test_replay_continues_after_outage(self):
        self.origin.aliases["/outage"] = "/live"
        stream = LiveStream(self.origin, "outage/now.m3u8", gaps=OUTAGE)
        page = self.record(stream, "outage", 290_000 - 60_000)
        channel = self.server.api("GET", "channels/outage")
        self.assertEqual((channel["gaps"], channel["gapSeconds"]), (1, 60))
        self.assertEqual(len(channel["recordedRanges"]), 2)
        expect(page.locator(".player-state")).to_contain_text("1 gap (1 minute)")
        begin = stream.start + OUTAGE[0] * SEGMENT_SECONDS * 1000
        page.get_by_label("Watch from").fill(page.evaluate(
            "moment => { const at = new Date(moment - new Date(moment).getTimezoneOffset() * 60000);"
            " return at.toISOString().slice(0, 19); }", begin - 10_000))
        page.get_by_role("button", name="Watch", exact=True).click()
        video = page.locator("video")
        before = self.eventually(page, "it plays before the gap", lambda: self.second(video, 100, 120))
        self.assertGreaterEqual(before, 105)
        after = self.eventually(page, "it plays after the gap", lambda: self.second(video, 121, 700))
        self.assertIn(after, range(180, 190))
        expect(page.locator("#notices")).to_contain_text("1 minute missing (")
        self.eventually(page, "it plays on", lambda: self.second(video, after + 4, 700))
        expect(page.locator("#player-error")).to_be_hidden()

    def test_live_channel_plays_right_after_outage(self):
        self.origin.aliases["/recent"] = "/live"
        # Two segments have been published since the outage.
        stream = LiveStream(self.origin, "recent/now.m3u8", gaps=range(125, 148))
        page = self.record(stream, "recent", 230_000)
        video = page.locator("video")
        first = self.eventually(page, "it plays after the gap", lambda: self.second(video, 290, 700))
        last = self.eventually(page, "it plays on", lambda: self.second(video, first + 25, 700), within=60)
        self.assertLess(stream.second(page.evaluate("Date.now()")) - last, 25)
        expect(page.locator("#player-error")).to_be_hidden()

    def test_download_with_missing_segments_plays_on(self):
        lost = range(4, 7)
        lines = "".join(f"#EXTINF:{SEGMENT_SECONDS},\nindex{number}.ts\n" for number in range(15))
        self.origin.aliases["/damaged"] = "/live"
        for number in lost:
            self.origin.answer(f"damaged/index{number}.ts", 404, "gone")
        self.origin.answer(
            "damaged/film.m3u8", 200,
            f"#EXTM3U\n#EXT-X-TARGETDURATION:{SEGMENT_SECONDS}\n{lines}#EXT-X-ENDLIST\n",
            "application/vnd.apple.mpegurl")
        self.server.api("POST", "downloads", {"url": self.origin.url("damaged/film.m3u8"), "title": "Damaged"})
        page = self.open()
        self.watch.allow("status of 40[34]")
        self.eventually(page, "the download ends", lambda: self.server.downloads()["Damaged"]["state"] == "completeWithHoles")
        asset = self.server.downloads()["Damaged"]["id"]
        self.go(page, f"#/play/asset/{asset}")
        video = page.locator("video")
        self.eventually(page, "it plays before the hole", lambda: self.second(video, 2, 8))
        after = self.eventually(page, "it plays after the hole", lambda: self.second(video, 9, 30))
        self.assertIn(after, range(14, 18))
        expect(page.locator("#notices")).to_contain_text("6 seconds missing (0:08–0:14)")
        # Positions include the duration of the hole.
        self.assertAlmostEqual(frame(video)["code"] + 0.5, current_time(video), delta=1.5)
        self.eventually(page, "it plays to the end", lambda: video.evaluate("video => video.ended"))
        self.assertAlmostEqual(current_time(video), 30, delta=1)
        expect(page.locator("#player-error")).to_be_hidden()

    def record(self, stream: LiveStream, name: str, length: int) -> Page:
        self.server.api("POST", "channels", {"name": name, "url": stream.url})
        page = self.open()
        self.watch.allow(r"status of 40\d|MEDIA")

        def recorded() -> int:
            return sum(span["to"] - span["from"] for span in self.server.api("GET", f"channels/{name}")["recordedRanges"])

        self.eventually(page, f"{length} ms are recorded", lambda: recorded() >= length)
        self.go(page, f"#/channels/{name}")
        return page

    def second(self, video: Locator, least: int, most: int) -> int | None:
        """Returns the second that is shown if the video plays and it is in a range, or None."""
        shown = playing_second(video)
        return shown if shown is not None and least <= shown <= most else None
