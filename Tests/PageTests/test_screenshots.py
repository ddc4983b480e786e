"""Screenshots of the views, wide and narrow, light and dark, written to the folder MEDIACACHE_SCREENSHOTS."""

import os
import shutil
from pathlib import Path

from playwright.sync_api import Page, expect

from gallery import COVERED, Gallery, views
from media import ffmpeg
from page_case import NARROW, WIDE, PageCase

MOST_BYTES = 200_000
WIDTHS = {"wide": WIDE, "narrow": NARROW}
SAVED = ("library", "player", "downloads", "channel", "storage")


class ScreenshotTests(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.gallery = Gallery(cls.server, cls.origin)

    def test_views_fit_wide_and_narrow_windows(self):
        for width, viewport in WIDTHS.items():
            page = self.open(viewport=viewport, reduced_motion="reduce", timezone_id="Europe/Berlin")
            for name, route in views(self.gallery).items():
                self.settle(page, name, route)
                for colors in ("light", "dark"):
                    page.emulate_media(color_scheme=colors, reduced_motion="reduce")
                    with self.subTest(view=name, width=width, colors=colors):
                        self.assert_fits(page)
                        if name in SAVED:
                            self.save(page, f"{name}-{viewport['width']}-{colors}")

    def settle(self, page: Page, name: str, route: str):
        self.go(page, route)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        if name == "url":
            play = page.get_by_role("main").get_by_role("button", name="Play", exact=True)
            if page.get_by_role("heading", name="Play this URL?").is_visible():
                play.click()
        if name == "storage":
            expect(page.get_by_text("Loading the disk usage")).to_have_count(0)
        if name == "library":
            # The stream with holes has a frame as its cover.
            expect(page.get_by_role("list", name="Items").locator("img")).to_have_count(len(COVERED) + 1)
            page.evaluate("for (const image of document.images) image.loading = 'eager'")
        self.eventually(page, "all images are loaded", lambda: page.evaluate(
            "[...document.images].filter(image => image.hasAttribute('src'))"
            ".every(image => image.complete && image.naturalWidth > 0)"))
        video = page.locator("video")
        if not video.count():
            return
        self.wait_for_frame(page)
        if name == "player":
            video.evaluate("video => { video.currentTime = 21 }")
            self.eventually(page, "it has sought", lambda: video.evaluate("video => !video.seeking"))
        video.evaluate("video => video.pause()")

    def assert_fits(self, page: Page):
        """Asserts that the page doesn't scroll horizontally and that no control extends beyond the window."""
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        self.assertLessEqual(wide, 0, "the page scrolls horizontally")
        outside = page.evaluate("""[...document.querySelectorAll("a, button, input, select, h1, h2, h3")].filter(element => {
            const box = element.getBoundingClientRect();
            return element.checkVisibility() && !element.closest(".hidden")
                && box.width > 1 && box.top >= 0 && (box.left < -1 || box.right > innerWidth + 1);
        }).map(element => element.outerHTML.slice(0, 200))""")
        self.assertEqual(outside, [], "elements extend beyond the window")
        outside = page.evaluate("""[...document.querySelectorAll(".tape *, .panel *, fieldset *, .clip *")].filter(element => {
            const box = element.getBoundingClientRect();
            const card = element.closest(".tape, .panel, fieldset, .clip").getBoundingClientRect();
            return element.checkVisibility() && !element.closest(".hidden, [aria-hidden], svg") && box.width > 1
                && (box.left < card.left - 1 || box.right > card.right + 1);
        }).map(element => element.outerHTML.slice(0, 200))""")
        self.assertEqual(outside, [], "elements extend beyond their card")

    def save(self, page: Page, name: str):
        shot = self.folder / f"{name}.png"
        page.screenshot(path=shot, animations="disabled")
        self.assertGreater(shot.stat().st_size, 8_000, "the screenshot is empty")
        if not (folder := os.environ.get("MEDIACACHE_SCREENSHOTS")):
            return
        target = Path(folder) / shot.name
        shutil.copy(shot, target)
        for colors in (256, 128, 64, 32):
            if target.stat().st_size <= MOST_BYTES:
                return
            palette = f"split[a][b];[a]palettegen=max_colors={colors}:stats_mode=full[p];[b][p]paletteuse=dither=none"
            ffmpeg("-i", shot, "-vf", palette, "-frames:v", "1", "-update", "1", target)
        self.assertLessEqual(target.stat().st_size, MOST_BYTES, f"{name} is too large for a repository")
