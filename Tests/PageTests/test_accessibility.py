"""The rules of axe-core for every view, light and dark, and the focus order."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from gallery import CHANNEL, COMPLETE, RUNNING, Gallery, views
from keys import reachable, walk
from page_case import NARROW, PageCase

RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}}
TITLE = next(iter(COMPLETE))


class AccessibilityTests(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.gallery = Gallery(cls.server, cls.origin)

    def test_views_pass_accessibility_rules(self):
        for colors in ("light", "dark"):
            page = self.open(color_scheme=colors, reduced_motion="reduce")
            for name, route in views(self.gallery).items():
                with self.subTest(view=name, colors=colors):
                    self.show(page, route)
                    self.assert_passes(page)
            with self.subTest(view="adding", colors=colors):
                dialog = self.add(page, self.origin.url("film/index.m3u8"))
                self.assert_passes(page)
                dialog.get_by_role("button", name="Cancel").click()
            with self.subTest(view="key", colors=colors):
                page = self.open(with_key=False, color_scheme=colors, reduced_motion="reduce")
                self.watch.allow("401")
                expect(page.get_by_role("textbox", name="Key")).to_be_visible()
                self.assert_passes(page)

    def test_views_pass_accessibility_rules_on_phone(self):
        page = self.open(viewport=NARROW, reduced_motion="reduce")
        for name, route in views(self.gallery).items():
            with self.subTest(view=name):
                self.show(page, route)
                self.assert_passes(page)

    def test_tab_reaches_all_controls_in_reading_order(self):
        page = self.open(reduced_motion="reduce")
        for name, route in views(self.gallery).items():
            with self.subTest(view=name):
                self.show(page, route)
                expected = reachable(page)
                steps = walk(page)
                missed = {stop["name"] for stop in expected} - {step["name"] for step in steps}
                self.assertFalse(missed, "not reached by Tab")
                for before, after in zip(steps, steps[1:]):
                    pair = f"{before['name']!r}, then {after['name']!r}"
                    self.assertLess(before["index"], after["index"], f"not in document order: {pair}")
                    goes_up = after["bottom"] <= before["top"]
                    goes_right = after["left"] >= before["right"] - 1
                    self.assertTrue(not goes_up or goes_right, f"not in reading order: {pair}")
                unseen = [step["name"] for step in steps if not step["shows"] and step["tag"] != "video"]
                self.assertEqual(unseen, [], "no visible focus")

    def test_focus_returns_to_opener_of_closed_dialog(self):
        page = self.open()
        for route, button in (
            ("#/library", f"Edit {TITLE}"), ("#/library", f"Remove {TITLE}"), ("#/downloads", f"Cancel {RUNNING}"),
            ("#/channels", "Add a channel"), (f"#/channels/{CHANNEL}", "Save programme"),
            (f"#/channels/{CHANNEL}", "Limits"), (f"#/channels/{CHANNEL}", "Remove"),
        ):
            with self.subTest(button=button):
                self.show(page, route)
                opener = page.get_by_role("button", name=button, exact=True)
                opener.focus()
                page.keyboard.press("Enter")
                dialog = page.get_by_role("dialog")
                expect(dialog).to_be_visible()
                self.assertTrue(dialog.evaluate("dialog => dialog.contains(document.activeElement)"))
                page.keyboard.press("Escape")
                expect(dialog).to_be_hidden()
                expect(opener).to_be_focused()

    def test_focus_moves_to_opened_view(self):
        page = self.open()
        for name in ("Downloads", "Channels", "Played", "Storage", "Settings", "Library"):
            page.get_by_role("navigation", name="Views").get_by_role("link", name=name, exact=True).click()
            expect(page.get_by_role("heading", level=1, name=name, exact=True)).to_be_focused()
            self.assertIn(name, page.title())
        page.evaluate("document.activeElement?.blur()")
        page.get_by_role("link", name="Skip to the content").focus()
        page.keyboard.press("Enter")
        self.assertTrue(page.get_by_role("main").evaluate("main => main.contains(document.activeElement)"))

    def show(self, page: Page, route: str):
        self.go(page, route)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.wait_for_load_state("load")
        video = page.locator("video")
        if video.count():
            self.wait_for_frame(page)
            # The rules require a view that doesn't change.
            video.evaluate("video => video.pause()")

    def assert_passes(self, page: Page):
        violations = Axe().run(page, options=RULES).response["violations"]
        self.assertEqual([f"{rule['id']}: {node['html'][:200]}: {node.get('failureSummary')}"
                          for rule in violations for node in rule["nodes"]], [])
