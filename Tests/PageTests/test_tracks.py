"""The choice of quality, audio, subtitles and speed, and the keys of the player."""

from playwright.sync_api import Locator, Page, expect

from page_case import PageCase
from video import current_time, frame, is_black

SHOWN = "video => [...video.textTracks].flatMap(track => [...track.activeCues ?? []]).map(cue => cue.text)"

#: The lines of the shown cues: "auto", or a negative number that counts from the bottom.
LINES = "video => [...video.textTracks].flatMap(track => [...track.activeCues ?? []]).map(cue => cue.line)"


class TrackTests(PageCase):
    def test_selects_quality_audio_subtitles_and_speed(self):
        page, video = self.play_film()
        self.assertEqual(frame(video)["height"], 540)
        quality = page.get_by_label("Quality")
        self.assertEqual([text.split(",")[0] for text in quality.locator("option").all_inner_texts()],
                         ["540p", "360p", "240p"])
        at = current_time(video)
        quality.select_option(index=2)
        self.eventually(page, "the lowest quality plays", lambda: video.evaluate("video => video.videoHeight") == 240)
        self.eventually(page, "it plays on", lambda: at + 1 < current_time(video) < at + 15)
        self.assertFalse(is_black(frame(video)))

        self.assertEqual(self.origin.requests("sound-de/index0"), [])
        at = current_time(video)
        page.locator(".track-menu").get_by_label("Audio").select_option("Deutsch")
        self.eventually(page, "the German audio is requested", lambda: self.origin.requests("sound-de/"))
        self.eventually(page, "it plays on", lambda: at + 2 < current_time(video) < at + 20)

        subtitles = page.locator(".track-menu").get_by_label("Subtitles")
        self.assertEqual(subtitles.locator("option").all_inner_texts(), ["Off", "English", "Deutsch"])
        subtitles.select_option("Deutsch")
        video.evaluate("video => { video.currentTime = 21 }")
        self.eventually(page, "a German line is shown", lambda: video.evaluate(SHOWN) == ["Eine Zeile des Gesagten."])
        subtitles.select_option("English")
        self.eventually(page, "an English line is shown", lambda: video.evaluate(SHOWN) == ["A line of the dialogue."])
        subtitles.select_option("Off")
        self.eventually(page, "no line is shown", lambda: video.evaluate(SHOWN) == [])

        page.get_by_label("Speed").select_option("2")
        self.assertEqual(video.evaluate("video => video.playbackRate"), 2)
        expect(page.locator("#player-error")).to_be_hidden()

    def test_failed_change_of_quality_is_reported(self):
        page, _ = self.play_film()
        self.watch.allow("status of 404")
        page.route(lambda url: "media.json" in url, lambda route: route.fulfill(
            status=404, json={"status": 404, "title": "Not found", "detail": "the variant stream is gone"}))
        page.get_by_label("Quality").select_option(index=2)
        expect(page.get_by_role("region", name="Problems")).to_contain_text(
            "The quality can’t be changed: The variant stream is gone.")

    def test_keys_change_speed_subtitles_and_position(self):
        page, video = self.play_film()
        page.evaluate("document.activeElement?.blur()")
        page.keyboard.press(">")
        self.assertEqual(video.evaluate("video => video.playbackRate"), 1.25)
        expect(page.get_by_label("Speed")).to_have_value("1.25")
        page.keyboard.press("<")
        page.keyboard.press("<")
        expect(page.get_by_label("Speed")).to_have_value("0.75")
        page.keyboard.press("c")
        expect(page.locator(".track-menu").get_by_label("Subtitles")).to_have_value("0")
        page.keyboard.press("k")
        page.keyboard.press("5")
        self.eventually(page, "it is at the middle", lambda: abs(current_time(video) - 30) < 0.5)
        page.keyboard.press("l")
        self.eventually(page, "it has sought", lambda: abs(current_time(video) - 40) < 0.5)
        page.keyboard.press("j")
        self.eventually(page, "it has sought back", lambda: abs(current_time(video) - 30) < 0.5)
        self.eventually(page, "a line is shown", lambda: video.evaluate(SHOWN) == ["A line of the dialogue."])
        self.eventually(page, "it is above the controls", lambda: max(video.evaluate(LINES)) < -1)
        page.keyboard.press("Escape")
        page.evaluate("document.activeElement?.blur()")
        page.mouse.move(0, 0)
        page.keyboard.press("k")
        self.eventually(page, "it is at the bottom without controls", lambda: video.evaluate(LINES) == ["auto"])

    def test_text_of_subtitles_is_not_markup_of_page(self):
        self.origin.aliases["/evil"] = "/film"
        self.origin.answer(
            "evil/text-en/all.vtt", 200,
            "WEBVTT\n\n00:00.000 --> 00:50.000\n<img src=x onerror=alert(1)><b>bold</b>\n", "text/vtt")
        page, video = self.play_film("evil/index.m3u8")
        page.locator(".track-menu").get_by_label("Subtitles").select_option(index=1)
        self.eventually(page, "the line is shown", lambda: video.evaluate(SHOWN))
        self.assertEqual(page.evaluate("document.querySelectorAll('img[src=x]').length"), 0)

    def play_film(self, path: str = "film/index.m3u8") -> tuple[Page, Locator]:
        page = self.open()
        self.play(page, self.origin.url(path))
        video = page.locator("video")
        self.eventually(page, "it plays", lambda: current_time(video) > 0.5)
        video.hover()
        page.get_by_label("Playback settings").click()
        return page, video
