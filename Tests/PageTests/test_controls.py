"""The controls over the video: the timeline, the buttons, and the list of keys."""

import re

from playwright.sync_api import Locator, Page, expect

from live import LiveStream
from media import CODE_BITS, LIVE_SECONDS, SEGMENT_SECONDS
from page_case import PageCase
from video import current_time, playing_second, set_rate

#: The number in the strip at the bottom of a thumbnail.
CODE = """
(canvas, bits) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, Math.floor(0.93 * canvas.height), canvas.width, 1);
    let code = 0;
    for (let bit = 0; bit < bits; bit++) {
        const at = 4 * Math.floor((bit + 0.5) / bits * canvas.width);
        if (data[at] + data[at + 1] + data[at + 2] > 450) code += 2 ** bit;
    }
    return code;
}
"""


class ControlTests(PageCase):
    def play_path(self, path: str, **options) -> tuple[Page, Locator]:
        page = self.open(**options)
        self.play(page, self.origin.url(path))
        video = page.locator("video")
        self.eventually(page, "it plays", lambda: current_time(video) > 0.5)
        return page, video

    def button(self, page: Page, name: str) -> Locator:
        return page.get_by_role("group", name="Playback", exact=True).get_by_role("button", name=name, exact=True)

    def test_buttons_change_playback(self):
        page, video = self.play_path("film/index.m3u8")
        video.hover()
        self.button(page, "Pause").click()
        self.assertTrue(video.evaluate("video => video.paused"))
        self.button(page, "Play").click()
        self.assertFalse(video.evaluate("video => video.paused"))
        self.button(page, "Mute").click()
        self.assertTrue(video.evaluate("video => video.muted"))
        page.get_by_role("slider", name="Volume").fill("0.5")
        self.assertEqual(video.evaluate("video => [video.muted, video.volume]"), [False, 0.5])
        expect(self.button(page, "Next subtitles")).to_be_visible()
        self.button(page, "Next subtitles").click()
        page.get_by_label("Playback settings").click()
        expect(page.locator(".track-menu").get_by_label("Subtitles")).to_have_value("0")
        page.keyboard.press("Escape")
        expect(page.get_by_label("Speed")).to_be_hidden()
        expect(video).to_have_count(1)
        # A click on the picture pauses, and one more plays.
        video.click(position={"x": 200, "y": 100})
        self.assertTrue(video.evaluate("video => video.paused"))
        video.click(position={"x": 200, "y": 100})
        self.assertFalse(video.evaluate("video => video.paused"))
        self.button(page, "Full screen").click()
        self.eventually(page, "it is in full screen", lambda: page.evaluate("Boolean(document.fullscreenElement)"))
        expect(self.button(page, "Full screen")).to_be_visible()
        self.button(page, "Full screen").click()
        self.eventually(page, "it isn't", lambda: not page.evaluate("Boolean(document.fullscreenElement)"))

    def test_timeline_seeks_by_pointer_and_keys(self):
        page, video = self.play_path("live/index.m3u8")
        set_rate(video, 0.25)
        timeline = page.get_by_role("slider", name="Position")
        expect(timeline).to_have_attribute("aria-valuemax", str(LIVE_SECONDS))
        box = timeline.bounding_box()
        timeline.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
        middle = LIVE_SECONDS / 2
        self.eventually(page, "the middle plays", lambda: middle - 4 <= (playing_second(video) or 0) <= middle + 8)
        expect(timeline).to_be_focused()
        before = current_time(video)
        page.keyboard.press("PageDown")
        self.eventually(page, "it plays a minute before", lambda: before - 62 < current_time(video) < before - 50)
        page.keyboard.press("Home")
        self.eventually(page, "it plays the start", lambda: 0 <= (playing_second(video) or 99) < 8)
        # Dragging seeks when the pointer is released.
        page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 3 / 4, box["y"] + box["height"] / 2, steps=4)
        self.assertLess(current_time(video), 30)
        page.mouse.up()
        last = LIVE_SECONDS * 3 / 4
        self.eventually(page, "it plays there", lambda: last - 4 <= (playing_second(video) or 0) <= last + 8)

    def test_thumbnails_show_cached_pictures_only(self):
        page, video = self.play_path("live/index.m3u8")
        timeline = page.get_by_role("slider", name="Position")
        self.eventually(page, "segments are cached", lambda: float(
            page.locator("#coverage-bar").get_attribute("data-cached") or 0) > 18 / LIVE_SECONDS)
        video.evaluate("video => video.pause()")
        box = timeline.bounding_box()
        picture = timeline.locator("canvas").last
        timeline.hover(position={"x": box["width"] * 14 / LIVE_SECONDS, "y": box["height"] / 2})
        expect(picture).to_be_visible()
        code = picture.evaluate(CODE, CODE_BITS)
        self.assertTrue(8 <= code <= 14, code)
        timeline.hover(position={"x": box["width"] / 2, "y": box["height"] / 2})
        expect(timeline.locator("output")).to_have_text("6:00")
        page.wait_for_timeout(1000)
        expect(picture).to_be_hidden()
        # Playback itself requests 30 s ahead.
        numbers = [int(found[1]) for path in self.origin.requests("/live") if (found := re.search(r"(\d+)\.ts", path))]
        self.assertLess(max(numbers) - min(numbers), 60 / SEGMENT_SECONDS)

    def test_thumbnails_of_downloaded_file(self):
        self.server.api("POST", "downloads", {"url": self.origin.url("clip.mp4"), "title": "Hovered"})
        page = self.open()
        self.eventually(page, "it is complete", lambda: self.server.downloads()["Hovered"]["state"] == "complete")
        self.go(page, f"#/play/asset/{self.server.downloads()['Hovered']['id']}")
        timeline = page.get_by_role("slider", name="Position")
        expect(page.locator("#coverage-bar")).to_have_attribute("data-cached", "1.0000")
        self.wait_for_frame(page)
        timeline.hover()
        picture = timeline.locator("canvas").last
        expect(picture).to_be_visible()
        brightest = picture.evaluate("""canvas => {
            const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
            copy.drawImage(canvas, 0, 0);
            const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
            return data.reduce((most, value, index) => index % 4 < 3 ? Math.max(most, value) : most, 0);
        }""")
        self.assertGreater(brightest, 60)

    def test_controls_hide_while_playing(self):
        page, video = self.play_path("film/index.m3u8")
        bar = page.get_by_role("group", name="Playback", exact=True)
        page.evaluate("document.activeElement?.blur()")
        page.mouse.move(2, 2)
        self.eventually(page, "the controls hide", lambda: bar.evaluate("bar => getComputedStyle(bar).opacity") == "0")
        video.hover(position={"x": 50, "y": 50})
        self.eventually(page, "they are shown", lambda: bar.evaluate("bar => getComputedStyle(bar).opacity") == "1")
        video.evaluate("video => video.pause()")
        page.mouse.move(2, 2)
        page.wait_for_timeout(4000)
        self.assertEqual(bar.evaluate("bar => getComputedStyle(bar).opacity"), "1")

    def test_list_of_keys(self):
        page, video = self.play_path("film/index.m3u8")
        page.evaluate("document.activeElement?.blur()")
        page.keyboard.press("?")
        dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
        expect(dialog).to_contain_text("Picture in picture")
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(video).to_have_count(1)

    def test_song_has_compact_controls(self):
        page, video = self.play_path("song.m4a")
        bar = page.get_by_role("group", name="Playback", exact=True)
        self.eventually(page, "it is compact", lambda: page.locator(".picture").bounding_box()["height"] < 160)
        page.wait_for_timeout(4000)
        self.assertEqual(bar.evaluate("bar => getComputedStyle(bar).opacity"), "1")
        expect(self.button(page, "Pause")).to_be_visible()

    def test_live_stream_shows_distance_and_returns(self):
        stream = LiveStream(self.origin, "edge/now.m3u8")
        self.origin.aliases["/edge"] = "/live"
        page, video = self.play_path("edge/now.m3u8")
        # The playlist of a live stream isn't cached.
        self.watch.allow("404")
        live = self.button(page, "Live")
        expect(live).to_have_attribute("aria-pressed", "true")
        timeline = page.get_by_role("slider", name="Position")
        timeline.focus()
        page.keyboard.press("Home")
        expect(live).to_have_attribute("aria-pressed", "false")
        expect(page.locator(".control-time")).to_contain_text("−")
        self.eventually(page, "it plays", lambda: playing_second(video) is not None)
        live.click()
        expect(live).to_have_attribute("aria-pressed", "true")

        def edge() -> bool:
            second = playing_second(video)
            return second is not None and page.evaluate("Date.now()") / 1000 - stream.start / 1000 - second < 30
        self.eventually(page, "it plays the live edge", edge)
