"""Positions of playback, watched marks and tags, which the server stores for all browsers."""

from playwright.sync_api import expect

from page_case import PageCase
from video import current_time


class WatchingTests(PageCase):
    def setUp(self):
        self.id = self.server.api("POST", "downloads", {"url": self.origin.url("clip.mp4"), "title": "A clip"})["id"]
        self.page = self.open()
        self.eventually(self.page, "it is complete", lambda: self.server.downloads()["A clip"]["state"] == "complete")

    def asset(self):
        return self.server.api("GET", f"assets/{self.id}")

    def test_another_browser_continues_at_position(self):
        page = self.page
        self.go(page, f"#/play/asset/{self.id}")
        video = page.locator("video")
        self.eventually(page, "it plays", lambda: current_time(video) > 0.5)
        video.evaluate("video => { video.currentTime = 9 }")
        self.eventually(page, "it plays there", lambda: current_time(video) > 9.5)
        video.evaluate("video => video.pause()")
        self.eventually(page, "the server has the position", lambda: self.asset().get("position", 0) > 9)

        other = self.open("#/library")
        link = other.get_by_role("region", name="Continue watching").get_by_role("link")
        expect(link).to_have_accessible_name(f"Continue A clip, {self.left()} left")
        expect(self.item(other, "A clip").locator(".watched-bar")).to_be_visible()
        link.click()
        again = other.locator("video")
        self.eventually(other, "it continues there", lambda: current_time(again) > 9)
        again.evaluate("video => { video.currentTime = video.duration - 0.5; video.play() }")
        self.eventually(other, "it is watched", lambda: self.asset().get("watched"))
        self.go(other, "#/library")
        expect(self.item(other, "A clip").locator(".watched")).to_be_visible()
        expect(other.get_by_role("region", name="Continue watching")).to_be_hidden()

    def left(self) -> str:
        asset = self.asset()
        seconds = int(asset["duration"] - asset["position"] + 0.5)
        return f"{seconds // 60}:{seconds % 60:02}"

    def test_edits_tags_and_watched_mark(self):
        page = self.page
        page.get_by_role("button", name="Edit A clip").click()
        dialog = page.get_by_role("dialog", name="Edit “A clip”")
        dialog.get_by_label("Tags").fill("family, to keep")
        dialog.get_by_label("Watched").check()
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_be_hidden()
        item = self.item(page, "A clip")
        expect(item.locator(".card-state")).to_contain_text("family · to keep")
        expect(item.locator(".watched")).to_be_visible()
        page.get_by_label("Search the library").fill("keep")
        expect(item).to_be_visible()
        page.get_by_label("Show").select_option("Not watched")
        expect(item).to_be_hidden()
        self.assertEqual(self.asset()["tags"], ["family", "to keep"])
        page.get_by_label("Show").select_option("to keep")
        expect(item).to_be_visible()
        expect(page.get_by_label("Show").locator("optgroup option")).to_have_text(["family", "to keep"])

    def test_changes_several_items(self):
        page = self.page
        page.get_by_role("button", name="Select", exact=True).click()
        page.get_by_role("button", name="Select all", exact=True).click()
        page.get_by_role("button", name="Add tags", exact=True).click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Tags").fill("together")
        dialog.get_by_role("button", name="Add", exact=True).click()
        expect(dialog).to_be_hidden()
        self.assertIn("together", self.asset()["tags"])
        page.get_by_role("button", name="Select", exact=True).click()
        self.item(page, "A clip").get_by_role("checkbox").check()
        page.get_by_role("button", name="Mark as watched", exact=True).click()
        self.eventually(page, "it is watched", lambda: self.asset().get("watched"))
        page.get_by_role("button", name="Select", exact=True).click()
        self.item(page, "A clip").get_by_role("checkbox").check()
        page.get_by_role("button", name="Mark as not watched", exact=True).click()
        self.eventually(page, "it isn't watched", lambda: not self.asset().get("watched"))
