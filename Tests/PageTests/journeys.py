"""The main journeys in Chromium, Firefox and WebKitGTK, on a wide light page and on a narrow dark one: by keyboard, with
the rules of axe-core, and with playback verified by the code in the frames."""

import functools
import os
import sys
import time
from pathlib import Path

import axe_playwright_python

import browsers
from live import LiveStream
from media import CODE_BITS, SEGMENT_SECONDS
from page_case import LIMIT_SECONDS, ServerCase
from video import FRAME

FORMS = ({"narrow": False, "dark": False}, {"narrow": True, "dark": True})
#: The number of segments of the stream that is downloaded.
LENGTH = 20
#: The numbers of the segments that the live stream loses during one minute.
OUTAGE = range(60, 90)
MOST_STEPS = 150

_AXE = next(Path(axe_playwright_python.__file__).parent.glob("axe.min.js")).read_text()
_FOCUSED = """
() => {
    const element = document.activeElement;
    return element.getAttribute("aria-label") || element.labels?.[0]?.innerText || element.innerText || element.localName;
}
"""


def in_both_forms(journey):
    """Calls a test with a new tab in each form and its number. A failure leaves a screenshot in the media's folder."""

    @functools.wraps(journey)
    def run(self):
        for number, form in enumerate(FORMS):
            with self.subTest(**form):
                tab = self.browser.open(self.server.address, **form)
                try:
                    self.wait_until("the page is shown", lambda: tab.evaluate(
                        "() => document.querySelector('main h1') !== null"))
                    journey(self, tab, number)
                except AssertionError:
                    folder = Path(os.environ["MEDIACACHE_PAGE_MEDIA"])
                    tab.screenshot(folder / f"failure-{self.browser_name}-{self._testMethodName}-{number}.png")
                    raise
                finally:
                    tab.close()

    return run


class Journeys:
    """The journeys of one browser."""

    browser_name = ""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = browsers.start(cls.browser_name)
        cls.addClassCleanup(cls.browser.close)
        lines = "".join(f"#EXTINF:{SEGMENT_SECONDS},\nindex{number}.ts\n" for number in range(LENGTH))
        cls.origin.aliases["/whole"] = "/live"
        cls.origin.answer(
            "whole/film.m3u8", 200, f"#EXTM3U\n#EXT-X-TARGETDURATION:{SEGMENT_SECONDS}\n{lines}#EXT-X-ENDLIST\n",
            "application/vnd.apple.mpegurl")

    def tab_to(self, tab, name: str):
        """Presses Tab until the element with the given name has the focus."""
        passed = []
        for _ in range(MOST_STEPS):
            tab.press("Tab")
            passed.append(tab.evaluate(_FOCUSED).strip())
            if passed[-1] == name:
                return
        self.fail(f"Tab doesn't reach {name!r}, only {sorted(set(passed))}")

    def second(self, tab, least: int, most: int) -> int | None:
        """Returns the second that the video shows, if it plays and the second is in a range, or None."""
        shown = tab.evaluate(f"""
            async (bits) => {{
                const video = document.querySelector("video");
                if (!video || video.paused || video.seeking || video.readyState < 3 || video.error) return null;
                return ({FRAME})(video, bits).then(({{ code }}) => code, () => null);
            }}""", CODE_BITS)
        return shown if shown is not None and least <= shown <= most else None

    def start_playback(self, tab):
        """Starts playback, which some browsers permit only after a key or a click."""
        self.wait_until("the video is loaded", lambda: tab.evaluate(
            "() => document.querySelector('video')?.readyState > 1"))

        def plays() -> bool:
            # Browsers that permit it start playback themselves. If that is after this check, the key pauses it, and is
            # pressed again.
            if tab.evaluate("() => document.querySelector('video').paused"):
                tab.press("k")
            return tab.evaluate("() => !document.querySelector('video').paused")
        self.wait_until("it plays", plays)

    def go(self, tab, route: str):
        tab.evaluate("route => { location.hash = route; }", route)

    def assert_passes_rules(self, tab, view: str):
        found = tab.evaluate(f"""
            async () => {{
                const module = undefined, exports = undefined, define = undefined;
                {_AXE}
                const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
                const result = await axe.run(document, {{ runOnly: {{ type: "tag", values: tags }} }});
                return result.violations.map(one => `${{one.id}}: ${{one.nodes.map(node => node.target).join(", ")}}`);
            }}""")
        self.assertEqual(found, [], view)

    @in_both_forms
    def test_adds_and_plays_by_keyboard(self, tab, number):
        self.origin.aliases[f"/clip-{number}.mp4"] = "/clip.mp4"
        self.tab_to(tab, "URL of a video, a song or a stream")
        tab.type(self.origin.url(f"clip-{number}.mp4"))
        tab.press("Enter")
        self.wait_until("the dialog is open", lambda: tab.evaluate("() => document.querySelector('dialog[open]') !== null"))
        self.assert_passes_rules(tab, "adding")
        self.tab_to(tab, "Download")
        tab.press("Enter")
        self.wait_until("it is downloaded", lambda: any(
            record["state"] == "complete" and record["url"].endswith(f"clip-{number}.mp4")
            for record in self.server.downloads().values()))
        self.go(tab, "#/library")
        self.wait_until("it is listed", lambda: tab.evaluate(
            "name => [...document.querySelectorAll('.grid > li h2')].some(one => one.textContent === name)",
            f"clip-{number}"))
        self.tab_to(tab, f"Play clip-{number}")
        tab.press("Enter")
        self.start_playback(tab)
        self.wait_until("it plays", lambda: tab.evaluate("() => document.querySelector('video').currentTime") > 0.5)
        tab.press("k")
        self.wait_until("it is paused", lambda: tab.evaluate("() => document.querySelector('video').paused"))
        before = tab.evaluate("() => document.querySelector('video').currentTime")
        tab.press("ArrowRight")
        self.wait_until("it has sought", lambda: abs(
            tab.evaluate("() => document.querySelector('video').currentTime") - before - 10) < 0.5)

    @in_both_forms
    def test_plays_stream_and_seeks(self, tab, _):
        self.server.api("POST", "downloads", {"url": self.origin.url("whole/film.m3u8"), "title": "Whole"})
        self.wait_until("it is downloaded", lambda: self.server.downloads()["Whole"]["state"] == "complete")
        asset = self.server.downloads()["Whole"]["id"]
        self.go(tab, f"#/play/asset/{asset}")
        self.start_playback(tab)
        # The page resumes at the position of the previous tab, which the server has stored.
        tab.evaluate("() => { document.querySelector('video').currentTime = 0; }")
        self.wait_until("it plays from the start", lambda: self.second(tab, 1, 15))
        tab.evaluate("() => { document.querySelector('video').currentTime = 25.5; }")
        self.wait_until("it plays after the seek", lambda: self.second(tab, 25, 39))
        self.assert_passes_rules(tab, "player")

    @in_both_forms
    def test_replays_across_outage(self, tab, number):
        name = f"outage-{number}"
        self.origin.aliases["/" + name] = "/live"
        # The stream starts here, because it ends after seven minutes.
        stream = LiveStream(self.origin, f"{name}/now.m3u8", gaps=OUTAGE)
        self.server.api("POST", "channels", {"name": name, "url": stream.url})

        def recorded() -> int:
            ranges = self.server.api("GET", f"channels/{name}")["recordedRanges"]
            return sum(span["to"] - span["from"] for span in ranges)

        self.wait_until("the window is recorded", lambda: recorded() >= 290_000 - 60_000)
        begin = stream.start + OUTAGE[0] * SEGMENT_SECONDS * 1000
        self.go(tab, f"#/channels/{name}")
        self.start_playback(tab)
        live = self.wait_until("the live edge plays", lambda: self.second(tab, 200, 720))
        self.assertLess(stream.second(time.time() * 1000) - live, 30)
        tab.evaluate("""moment => {
            const at = new Date(moment - new Date(moment).getTimezoneOffset() * 60000);
            const field = document.querySelector("input[type=datetime-local]");
            field.value = at.toISOString().slice(0, 19);
            field.dispatchEvent(new Event("input", { bubbles: true }));
            [...document.querySelectorAll("button")].find(({ innerText }) => innerText.trim() === "Watch").click();
        }""", begin - 10_000)
        before = self.wait_until("it plays before the gap", lambda: self.second(tab, 100, 120))
        self.assertGreaterEqual(before, 105)
        after = self.wait_until("it plays after the gap", lambda: self.second(tab, 121, 199))
        self.assertIn(after, range(180, 190))
        self.wait_until("it plays on", lambda: self.second(tab, after + 4, 720))
        self.assertIn("1 minute missing (", tab.evaluate("() => document.querySelector('#notices').innerText"))
        self.assert_passes_rules(tab, "channel")

    @in_both_forms
    def test_views_pass_accessibility_rules(self, tab, _):
        for view in ("library", "downloads", "channels", "storage", "settings"):
            self.go(tab, f"#/{view}")
            self.wait_until(f"the view {view} is complete", lambda: tab.evaluate("""view => {
                const main = document.querySelector("main");
                return main.className === `view-${view}` && !main.querySelector("[inert]")
                    && !main.innerText.includes("Loading");
            }""", view))
            self.assert_passes_rules(tab, view)
        self.assertLessEqual(
            tab.evaluate("() => document.documentElement.scrollWidth - innerWidth"), 0, "the page scrolls sideways")


class ChromiumTests(Journeys, ServerCase):
    browser_name = "chromium"


# Other systems have neither WebKitGTK nor Debian's Firefox.
if sys.platform == "linux":

    class FirefoxTests(Journeys, ServerCase):
        browser_name = "firefox"

    class WebKitTests(Journeys, ServerCase):
        browser_name = "webkit"
