"""The selection of several items in the library, and its filter."""

from playwright.sync_api import Page, expect

from keys import tab_to
from page_case import PageCase


#: Assets in various states.
ASSETS = [
    {"title": "downloaded", "kind": "stream", "state": "complete", "bytes": 5, "length": 5, "duration": 60},
    {"title": "incomplete", "kind": "stream", "state": "completeWithHoles", "bytes": 5, "length": 5, "holeCount": 1},
    {"title": "recorded", "kind": "stream", "isRecorded": True, "duration": 60},
    {"title": "interrupted", "kind": "stream", "isRecorded": True, "duration": 60, "holeCount": 2},
    {"title": "imported", "kind": "file", "state": "complete", "bytes": 5, "length": 5,
     "url": "http://3f0e.bundle.invalid/film.mp4"},
    {"title": "cached", "kind": "file", "bytes": 5, "length": 5},
    {"title": "begun", "kind": "file", "bytes": 4, "length": 5},
    # The download was cancelled, and its data was kept.
    {"title": "cancelled", "kind": "stream", "duration": 60},
]


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

    def test_filters_by_completeness(self):
        page = self.show_assets()
        titles = page.get_by_role("list", name="Items").get_by_role("heading", level=2)
        complete = {"downloaded", "recorded", "imported", "cached"}
        others = {record["title"] for record in ASSETS} - complete
        for choice, names in (("Complete", complete), ("Incomplete", others)):
            page.get_by_label("Show").select_option(choice)
            self.eventually(page, f"{choice} selects {names}", lambda: set(titles.all_inner_texts()) == names)
        expect(self.item(page, "cancelled").locator(".card-state")).to_have_text("Not downloaded")
        page.get_by_label("Show").select_option("Complete")
        expect(self.item(page, "recorded").locator(".card-state")).to_have_text("Recorded")

    def test_removal_says_how_to_restore(self):
        page = self.show_assets()
        recording = "This also removes its channel, if it is still listed, with its programmes and their exports."
        again = "Playing it again requires another download from host.example."
        for title, words in (
            ("recorded", recording), ("imported", "It can only be restored by importing it again."),
            ("downloaded", again), ("cancelled", again),
        ):
            self.item(page, title).get_by_role("button", name=f"Remove {title}", exact=True).click()
            dialog = page.get_by_role("dialog", name=f"Remove “{title}”?")
            expect(dialog).to_contain_text(words)
            dialog.get_by_role("button", name="Cancel", exact=True).click()
        page.get_by_role("button", name="Select", exact=True).click()
        remove = page.locator(".selection").get_by_role("button", name="Remove", exact=True)
        for count, words, others in (
            (2, "covers from the disk, and cancels their downloads.", ["downloaded", "cancelled"]),
            (4, "Imports can only be restored by importing them again.", ["recorded", "imported"]),
        ):
            for title in others:
                page.get_by_role("link", name=f"Play {title}", exact=True).click()
            remove.click()
            dialog = page.get_by_role("dialog", name=f"Remove {count} items?")
            text = dialog.locator("p").first.inner_text()
            self.assertTrue(text.endswith(words), text)
            self.assertEqual("Deleted recordings can’t be restored" in text, count == 4)
            dialog.get_by_role("button", name="Cancel", exact=True).click()

    def show_assets(self) -> Page:
        """Opens the library with `ASSETS` instead of the server's assets."""
        some = self.server.api("GET", "assets")["assets"][0]
        common = {name: some[name] for name in ("withCredentials", "isLengthExact", "created", "plays", "libraryURL")}
        records = [
            {**common, "id": f"{number:012}", "url": "http://host.example/index.m3u8", "isRecorded": False,
             "holeCount": 0, **record} for number, record in enumerate(ASSETS)]
        self.page.route("**/api/v1/assets", lambda route: route.fulfill(json={"assets": records}))
        self.page.reload()
        expect(self.item(self.page, "recorded")).to_be_visible()
        return self.page

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
