"""The replay of a channel: the slider, a clip, and the export of a programme."""

import re

from playwright.sync_api import Page, expect

from live import LiveStream
from media import LIVE_HEIGHT
from movie import Movie
from page_case import PageCase, slider_value
from video import current_time, frame, is_black, window_begin

BACK = 120_000


class ReplayTests(PageCase):
    def setUp(self):
        self.stream = LiveStream(self.origin)

    def test_replays_from_slider_and_exports_programme(self):
        page = self.open()
        self.record(page)
        target = self.drag_back(page)
        self.assert_plays_from(page, target)
        self.make_programme(page, target)
        self.save_programme(page)
        self.seek_by_digit(page)

    def test_part_of_very_long_recording_is_attached(self):
        page = self.open()
        hour = 3_600_000
        windows = page.evaluate("""async ([base, hour]) => {
            const { windowAround } = await import(base + "page/channelplayback.js");
            const channel = (hours) => ({ recordedRanges: [{ from: 0, to: hours * hour }], edge: hours * hour });
            return [[40, null], [40, 3], [100, null], [100, 90], [100, 50], [100, 0.5]].map(([hours, at]) =>
                windowAround(channel(hours), at === null ? null : at * hour));
        }""", [self.server.page, hour])
        self.assertEqual([(window["from"] / hour, window["to"] and window["to"] / hour) for window in windows],
                         [(0, None), (0, None), (52, None), (52, None), (49, 74), (0, 24.5)])

    def record(self, page: Page):
        dialog = self.add(page, self.stream.url)
        choices = dialog.get_by_role("group", name="Action")
        expect(choices.get_by_role("radio", name="Record as a channel")).to_be_checked()
        dialog.get_by_role("textbox", name="Channel name").fill("evening")
        dialog.get_by_role("button", name="Record", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("evening")
        slider = page.get_by_role("slider", name="Replay")
        self.eventually(page, "three minutes are recorded",
                        lambda: slider_value(slider, "max") - slider_value(slider, "min") > 1.5 * BACK)

    def drag_back(self, page: Page) -> float:
        slider = page.get_by_role("slider", name="Replay")
        slider.scroll_into_view_if_needed()
        box = slider.bounding_box()
        begin, end = slider_value(slider, "min"), slider_value(slider, "max")
        width, y = box["width"], box["y"] + box["height"] / 2
        target = end - BACK
        page.mouse.move(box["x"] + width * 0.98, y)
        page.mouse.down()
        for step in range(10, -1, -1):
            share = (target - begin) / (end - begin)
            page.mouse.move(box["x"] + width * (share + (0.98 - share) * step / 10), y)
        # The recording may have grown by one or two segments, and the slider has margins.
        self.assertAlmostEqual(slider_value(slider, "now"), target, delta=8_000)
        chosen = slider_value(slider, "now")
        self.assertRegex(slider.get_attribute("aria-valuetext"), r"\d:\d\d")
        page.mouse.up()
        return chosen

    def assert_plays_from(self, page: Page, target: float):
        video = page.get_by_label("Player: evening")
        self.eventually(
            page, "the video starts at the chosen time",
            lambda: abs(window_begin(video) + current_time(video) * 1000 - target) < 20_000)
        self.eventually(page, "it plays", lambda: not video.evaluate("video => video.paused || video.seeking"))
        first = current_time(video)
        self.eventually(page, "the time advances", lambda: current_time(video) > first + 1)
        picture = frame(video)
        self.assertFalse(is_black(picture), picture)
        shown = picture["code"]
        expected = self.stream.second(window_begin(video)) + picture["time"]
        self.assertAlmostEqual(shown + 0.5, expected, delta=1.5, msg="the frame doesn't match the page's time")
        self.assertGreaterEqual(shown, self.stream.second(target) - 3)
        self.assertLess(shown, self.stream.second(target) + 30)

    def make_programme(self, page: Page, begin: float):
        group = page.get_by_role("group", name="Export clip")
        group.get_by_role("button", name="Set start").click()
        video = page.get_by_label("Player: evening")
        first = current_time(video)
        self.eventually(page, "ten seconds have played", lambda: current_time(video) > first + 10)
        group.get_by_role("button", name="Set end").click()
        href = group.get_by_role("link", name="Save as MP4").get_attribute("href")
        window = re.search(r"live/evening/(\d+)-(\d+)\.mp4", href)
        self.assertTrue(window, href)
        self.assertAlmostEqual((int(window[2]) - int(window[1])) / 1000, 10, delta=3)
        self.assertGreaterEqual(int(window[1]), begin - 3_000)
        group.get_by_role("button", name="Save programme").click()
        dialog = page.get_by_role("dialog", name="Save programme")
        dialog.get_by_role("textbox", name="Name").fill("The long evening")
        dialog.get_by_role("checkbox", name="MP4").check()
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(dialog).to_be_hidden()
        self.window = int(window[1]), int(window[2])

    def save_programme(self, page: Page):
        item = self.item(page, "The long evening")
        expect(item).to_contain_text("MP4: done")
        with page.expect_download() as started:
            item.get_by_role("link", name="MP4 of The long evening").click()
        file = self.folder / "programme.mp4"
        started.value.save_as(file)
        movie = Movie.read(file)
        self.assertEqual(movie.height, LIVE_HEIGHT)
        self.assertEqual(len(movie.audio), 1)
        self.assertAlmostEqual(movie.duration, (self.window[1] - self.window[0]) / 1000, delta=2.5)
        for name in ("Delete programme The long evening", "Delete MP4 of The long evening"):
            expect(item.get_by_role("button", name=name, exact=True)).to_be_visible()

    def seek_by_digit(self, page: Page):
        page.evaluate("document.activeElement?.blur()")
        page.keyboard.press("0")
        video = page.get_by_label("Player: evening")
        begin = slider_value(page.get_by_role("slider", name="Replay"), "min")
        self.eventually(
            page, "it plays the start of the recording",
            lambda: abs(window_begin(video) + current_time(video) * 1000 - begin) < 20_000)
