"""Use of the page with the keyboard only."""

from playwright.sync_api import expect

from keys import tab_to
from live import LiveStream
from page_case import PageCase, slider_value
from video import current_time, frame, window_begin

TITLES = ("First", "Second", "Third")


class KeyboardTests(PageCase):
    server_options = ("--jobs", "1")

    def test_adds_plays_pauses_and_seeks(self):
        page = self.open()
        tab_to(page, page.get_by_role("textbox", name="URL of a video, a song or a stream"))
        page.keyboard.type(self.origin.url("clip.mp4"))
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog")
        tab_to(page, dialog.get_by_role("textbox", name="Title"))
        page.keyboard.press("Control+A")
        page.keyboard.type("A clip")
        tab_to(page, dialog.get_by_role("button", name="Download", exact=True))
        page.keyboard.press("Enter")
        link = self.item(page, "A clip").get_by_role("link", name="Play A clip")
        tab_to(page, link)
        page.keyboard.press("Enter")
        video = page.get_by_label("Player: A clip")
        self.eventually(page, "the player is ready", lambda: video.evaluate("video => video.readyState > 2"))
        if video.evaluate("video => video.paused"):
            page.keyboard.press("k")
        self.eventually(page, "it plays", lambda: current_time(video) > 0.5)
        page.keyboard.press("k")
        self.eventually(page, "it is paused", lambda: video.evaluate("video => video.paused"))
        before = current_time(video)
        page.keyboard.press("ArrowRight")
        self.eventually(page, "it has sought", lambda: not video.evaluate("video => video.seeking"))
        self.assertAlmostEqual(current_time(video), before + 10, delta=0.5)
        page.keyboard.press("ArrowLeft")
        self.eventually(page, "it has sought back", lambda: abs(current_time(video) - before) < 0.5)
        page.keyboard.press("m")
        self.eventually(page, "it is muted", lambda: video.evaluate("video => video.muted"))
        field = page.get_by_role("textbox", name="URL of a video, a song or a stream")
        field.focus()
        page.keyboard.type("https://")
        page.keyboard.press("Escape")
        page.wait_for_timeout(300)
        expect(video).to_have_count(1)
        expect(field).to_be_focused()
        video.focus()
        page.keyboard.press("Escape")
        expect(video).to_have_count(0)

    def test_reorders_downloads(self):
        self.origin.rate = 20_000
        for number, title in enumerate(TITLES):
            self.origin.aliases[f"/queue-{number}.mp4"] = "/clip.mp4"
            self.server.api(
                "POST", "downloads", {"url": self.origin.url(f"queue-{number}.mp4"), "title": title})
        page = self.open("#/downloads")
        self.assertEqual(self.order(page), list(TITLES))
        tab_to(page, page.get_by_role("button", name="Move Third"))
        page.keyboard.press("ArrowUp")
        expect(page.locator("#notices")).to_contain_text("“Third” is now number 2 of ")
        self.eventually(page, "it is second", lambda: self.order(page) == ["First", "Third", "Second"])
        expect(page.get_by_role("button", name="Move Third")).to_be_focused()
        page.keyboard.press("ArrowUp")
        self.eventually(page, "it is first", lambda: self.order(page) == ["Third", "First", "Second"])
        self.eventually(page, "the server runs it first",
                        lambda: self.server.downloads()["Third"]["state"] == "running")
        page.reload()
        expect(page.get_by_role("button", name="Move Third")).to_be_visible()
        self.assertEqual(self.order(page), ["Third", "First", "Second"])
        tab_to(page, page.get_by_role("button", name="Pause Third"))
        page.keyboard.press("Enter")
        self.eventually(page, "it is paused", lambda: self.server.downloads()["Third"]["state"] == "paused")
        self.origin.rate = None

    def test_moves_replay_slider(self):
        stream = LiveStream(self.origin)
        self.server.api("POST", "channels", {"name": "keys", "url": stream.url})
        page = self.open()
        tab_to(page, page.get_by_role("link", name="Channels", exact=True))
        page.keyboard.press("Enter")
        tab_to(page, page.get_by_role("link", name="Open keys"))
        page.keyboard.press("Enter")
        slider = page.get_by_role("slider", name="Replay")
        self.eventually(page, "four minutes are recorded",
                        lambda: slider_value(slider, "max") - slider_value(slider, "min") > 240_000)
        tab_to(page, slider)
        words = slider.get_attribute("aria-valuetext")
        page.keyboard.press("Home")
        self.eventually(page, "it moves to the start",
                        lambda: abs(slider_value(slider, "now") - slider_value(slider, "min")) < 5_000)
        self.assertNotEqual(slider.get_attribute("aria-valuetext"), words)
        for key, step in (("Shift+ArrowRight", 60_000), ("ArrowRight", 10_000), ("ArrowRight", 10_000),
                          ("ArrowLeft", -10_000)):
            before = slider_value(slider, "now")
            page.keyboard.press(key)
            # Playback also moves the slider.
            self.eventually(page, f"{key} moved it by {step / 1000} s",
                            lambda: -3_000 < slider_value(slider, "now") - before - step < 6_000)
        target = slider_value(slider, "now")
        video = page.get_by_label("Player: keys")
        self.eventually(page, "the video plays from there", lambda: abs(
            window_begin(video) + current_time(video) * 1000 - target) < 20_000
            and current_time(video) > 1)
        self.assertAlmostEqual(frame(video)["code"], stream.second(target), delta=20)
        page.keyboard.press("End")
        self.eventually(page, "it is live again",
                        lambda: slider_value(slider, "now") > slider_value(slider, "max") - 60_000)

    def order(self, page) -> list[str]:
        names = page.get_by_role("list", name="Downloads", exact=True).get_by_role("heading", level=2)
        expect(names.first).to_be_visible()
        return [name for name in names.all_inner_texts() if name in TITLES]
