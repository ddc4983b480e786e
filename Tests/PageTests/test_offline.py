"""From a pasted URL to a saved file, with the origin stopped halfway."""

import re

from playwright.sync_api import Page, expect

from media import FILM_SECONDS
from movie import Movie
from page_case import PageCase
from video import current_time, frame, is_black

TITLE = "Colours at night"


class OfflineTests(PageCase):
    def test_downloads_pasted_stream_plays_it_offline_and_saves_it(self):
        page = self.open(permissions=["clipboard-read", "clipboard-write"])
        self.origin.rate = 120_000
        self.choose_variant(page)
        self.play_while_downloading(page)
        self.pause(page)
        self.resume_after_reload(page)
        self.origin.stop()
        self.play_offline()
        self.save()

    def choose_variant(self, page: Page):
        """Pastes the URL while no field has the focus, and selects the second best variant."""
        page.evaluate("url => navigator.clipboard.writeText(url)", self.origin.url("film/index.m3u8"))
        page.evaluate("document.activeElement?.blur()")
        page.keyboard.press("Control+V")
        dialog = page.get_by_role("dialog")
        qualities = dialog.get_by_role("group", name="Quality").get_by_role("radio")
        expect(qualities).to_have_count(3)
        names = [quality.evaluate("radio => radio.labels[0].innerText") for quality in qualities.all()]
        self.assertEqual([name.split(",")[0] for name in names], ["540p", "360p", "240p"], names)
        expect(qualities.nth(0)).to_be_checked()
        size = dialog.locator("#add-size").inner_text()
        qualities.nth(1).check()
        expect(dialog.locator("#add-size")).not_to_have_text(size)
        audio = dialog.get_by_role("group", name="Audio")
        audio.get_by_role("checkbox", name="English").check()
        audio.get_by_role("checkbox", name="German").check()
        expect(dialog.get_by_role("group", name="Subtitles").get_by_role("checkbox")).to_have_count(2)
        self.assertEqual(self.origin.requests(".m4s"), [], "segments were requested before the download")
        dialog.get_by_role("textbox", name="Title").fill(TITLE)
        dialog.get_by_role("button", name="Download", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Downloads")
        self.assertRegex(page.url, r"#/downloads$")
        record = self.server.downloads()[TITLE]
        self.assertIn(sorted(record["audio"].split(",")), (["all"], ["de", "en"]))

    def play_while_downloading(self, page: Page):
        item = self.item(page, TITLE)
        progress = item.get_by_role("progressbar", name=f"Progress of {TITLE}")
        self.eventually(page, "the download progresses", lambda: _progress(progress) > 0)
        item.get_by_role("link", name=f"Play {TITLE}").click()
        video = page.get_by_label(f"Player: {TITLE}")
        self.start(page, video)
        self.eventually(page, "the video plays", lambda: current_time(video) > 1)
        picture = frame(video)
        self.assertFalse(is_black(picture), picture)
        self.assertEqual(picture["height"], 360)
        bar = page.locator("#coverage-bar")
        cached, drawn = _cached(bar), _drawing(bar)
        self.assertLess(cached, 1)
        self.eventually(page, "the cached share grows", lambda: _cached(bar) > cached + 0.02)
        self.eventually(page, "the bar is redrawn", lambda: _drawing(bar) != drawn)
        head = float(bar.get_attribute("data-head"))
        self.eventually(page, "the playhead moves", lambda: float(bar.get_attribute("data-head")) > head)
        self.assertEqual({path.split("/")[2] for path in self.origin.requests("/v") if path.endswith(".m4s")}, {"v360"})

    def pause(self, page: Page):
        page.get_by_label(f"Player: {TITLE}").evaluate("video => video.pause()")
        page.get_by_role("button", name="Pause the download").click()
        expect(page.get_by_role("button", name="Resume the download")).to_be_visible()
        self.assertEqual(self.server.downloads()[TITLE]["state"], "paused")
        # The player may still fill its own buffer.
        self.eventually(page, "the origin gets no request for 3 s", lambda: self.is_still(page, 3))
        record = self.server.downloads()[TITLE]
        self.assertLess(record["partsDone"], record["parts"])
        state = page.locator(".player-state")
        expect(state).to_have_text(re.compile(r"^Download paused · \d+% cached · \d+ of 30 segments cached$"))
        cached = int(re.search(r"(\d+)%", state.inner_text())[1])
        segments = int(re.search(r"(\d+) of 30", state.inner_text())[1])
        self.assertAlmostEqual(cached, 100 * segments / 30, delta=2)

    def resume_after_reload(self, page: Page):
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text(TITLE)
        page.get_by_role("button", name="Resume the download").click()
        expect(page.get_by_role("button", name="Pause the download")).to_be_visible()
        self.origin.rate = None
        bar = page.locator("#coverage-bar")
        self.eventually(page, "it is fully cached", lambda: _cached(bar) == 1)
        expect(page.get_by_role("link", name="Save as MP4")).to_be_visible()
        self.assertEqual(self.server.downloads()[TITLE]["state"], "complete")

    def play_offline(self):
        """Plays the stream in a new context, whose browser cache is empty."""
        page = self.open("#/library")
        item = self.item(page, TITLE)
        expect(item).to_have_attribute("data-state", "complete")
        item.get_by_role("link", name=f"Play {TITLE}").click()
        video = page.get_by_label(f"Player: {TITLE}")
        self.start(page, video)
        self.eventually(page, "it plays without the origin", lambda: current_time(video) > 2)
        video.evaluate("video => { video.currentTime = 50 }")
        self.eventually(page, "its end plays", lambda: current_time(video) > 51)
        self.assertFalse(is_black(frame(video)))
        expect(page.locator("#player-error")).to_be_hidden()
        self.page = page

    def save(self):
        with self.page.expect_download() as started:
            self.page.get_by_role("link", name="Save as MP4").click()
        self.assertRegex(started.value.suggested_filename, r"\.mp4$")
        file = self.folder / "saved.mp4"
        started.value.save_as(file)
        movie = Movie.read(file)
        self.assertEqual(movie.height, 360)
        self.assertAlmostEqual(movie.duration, FILM_SECONDS, delta=0.5)
        self.assertEqual(movie.packets, FILM_SECONDS * 12)
        self.assertEqual(sorted(movie.audio), ["deu", "eng"])

    def is_still(self, page: Page, seconds: float) -> bool:
        before = self.origin.traffic
        page.wait_for_timeout(seconds * 1000)
        return self.origin.traffic == before

    def start(self, page: Page, video):
        """Starts playback with the K key if it hasn't started yet."""
        expect(video).to_be_visible()
        self.eventually(page, "the player has the metadata", lambda: video.evaluate("video => video.readyState > 0"))
        if video.evaluate("video => video.paused"):
            page.keyboard.press("k")


def _progress(bar) -> float:
    return float(bar.evaluate("bar => bar.value ?? bar.getAttribute('aria-valuenow') ?? 0"))


def _cached(bar) -> float:
    return float(bar.get_attribute("data-cached") or 0)


def _drawing(bar) -> str:
    return bar.evaluate("canvas => canvas.toDataURL()")
