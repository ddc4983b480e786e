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

    def test_shows_and_finds_artist_and_album(self):
        page = self.page
        song = tagged_song({"TIT2": "A walk", "TPE1": "Anna Ek", "TALB": "North", "TRCK": "2", "TYER": "1998"})
        other = tagged_song({"TIT2": "A run", "TPE1": "Anna Ek", "TALB": "North", "TRCK": "1"})
        for number, content in enumerate((song, other)):
            self.origin.answers[f"/{number}"] = lambda content=content: (200, "audio/mpeg", content)
            self.server.api("POST", "downloads", {"url": self.origin.url(str(number))})
        item = self.item(page, "A walk")
        expect(item.locator(".byline")).to_have_text("Anna Ek · North")
        titles = page.get_by_role("list", name="Items").get_by_role("heading", level=2)
        search = page.get_by_label("Search the library")
        for text, names in (("anna north", {"A walk", "A run"}), ("1998", {"A walk"}), ("ek run", {"A run"})):
            search.fill(text)
            self.eventually(page, f"{text!r} finds {names}", lambda: set(titles.all_inner_texts()) == names)
        search.fill("")
        page.get_by_label("Sort by").select_option("Artist")
        self.eventually(page, "they are in the order of the album",
                        lambda: titles.all_inner_texts()[:2] == ["A run", "A walk"])
        page.get_by_label("Show").select_option("Music")
        expect(titles).to_have_text(["A run", "A walk", "tone"])


def tagged_song(texts: dict[str, str]) -> bytes:
    """Returns a song with the text frames of an ID3 tag (version 2.3)."""
    frames = b"".join(
        name.encode() + (len(text) + 1).to_bytes(4, "big") + b"\0\0\0" + text.encode("latin-1")
        for name, text in texts.items())
    length = bytes(len(frames) >> shift & 0x7F for shift in (21, 14, 7, 0))
    return b"ID3\x03\0\0" + length + frames + (b"\xff\xfb\x90\x64" + bytes(413)) * 20
