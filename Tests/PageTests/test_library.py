"""The selection of several items in the library, and its filter."""

from playwright.sync_api import expect

from keys import tab_to
from page_case import PageCase


class LibraryTests(PageCase):
    def setUp(self):
        self.page = self.open()
        for name in ("one.mp4", "two.mp4", "tone.m4a"):
            self.origin.aliases[f"/{name}"] = "/song.m4a" if name.endswith("a") else "/clip.mp4"
            self.server.api("POST", "downloads", {"url": self.origin.url(name)})
        self.eventually(self.page, "they are complete", lambda: {
            record["state"] for record in self.server.downloads().values()} == {"complete"})

    def test_removes_selected_items(self):
        page = self.page
        select = page.get_by_role("button", name="Select", exact=True)
        tab_to(page, select)
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Done")).to_be_focused()
        remove = page.locator(".selection").get_by_role("button", name="Remove")
        expect(remove).to_be_disabled()
        tab_to(page, page.get_by_role("checkbox", name="Select one"))
        page.keyboard.press("Space")
        # During a selection, a click on a cover selects its item.
        page.get_by_role("link", name="Play tone").click()
        expect(page.locator(".selection")).to_contain_text("2 items selected")
        remove.click()
        dialog = page.get_by_role("dialog", name="Remove 2 items?")
        dialog.get_by_role("button", name="Remove", exact=True).click()
        expect(dialog).to_be_hidden()
        expect(page.get_by_role("list", name="Items").get_by_role("heading", level=2)).to_have_text(["two"])
        self.eventually(page, "they are removed", lambda: list(self.server.downloads()) == ["two"])
        expect(page.get_by_role("checkbox", name="Select two")).to_be_hidden()

    def test_filters_by_kind(self):
        page = self.page
        titles = page.get_by_role("list", name="Items").get_by_role("heading", level=2)
        for kind, names in (("Music", ["tone"]), ("Video files", ["two", "one"]), ("Streams", [])):
            page.get_by_label("Show").select_option(kind)
            expect(titles).to_have_text(names)
        page.get_by_label("Show").select_option("Everything")
        expect(titles).to_have_count(3)
