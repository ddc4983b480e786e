"""The settings view, which changes only the settings that the user changed."""

from playwright.sync_api import Page, expect

from page_case import PageCase


class SettingsTests(PageCase):
    server_options = ("--max-size", "2GB")

    def setUp(self):
        self.page = self.open("#/settings")
        expect(self.field("Maximum size (GB)")).to_have_value("2")

    def field(self, label: str):
        return self.page.get_by_label(label)

    def save(self, page: Page) -> list:
        """Saves, and returns the bodies of the requests that changed settings."""
        sent = []
        page.on("request", lambda request: request.method == "PATCH" and sent.append(request.post_data_json))
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
        return sent

    def test_sends_only_changed_settings(self):
        self.assertEqual(self.save(self.page), [])
        self.field("Maximum size (GB)").fill("3.5")
        self.field("Playback").fill("2")
        self.assertEqual(self.save(self.page), [{"limits": {"maximumBytes": 3_500_000_000},
                                                 "bandwidth": {"playback": 2_000_000}}])
        found = self.server.api("GET", "settings/cache")
        self.assertEqual(found["limits"]["maximumBytes"], 3_500_000_000)
        self.assertEqual(found["bandwidth"], {"playback": 2_000_000})
        # An empty field removes the limit.
        self.field("Playback").fill("")
        self.field("Maximum size (GB)").fill("")
        self.save(self.page)
        found = self.server.api("GET", "settings/cache")
        self.assertEqual((found["limits"].get("maximumBytes"), found["bandwidth"]), (None, {}))

    def test_follows_changes_of_others_and_explains_limit_below_content(self):
        self.addCleanup(self.server.api, "PATCH", "settings/cache",
                        {"limits": {"maximumBytes": 2_000_000_000}, "bandwidth": {"playback": 0}})
        self.server.api("PATCH", "settings/cache", {"bandwidth": {"playback": 5_000_000}})
        self.page.evaluate("dispatchEvent(new Event('focus'))")
        expect(self.field("Playback")).to_have_value("5")
        # A value that the user has entered isn't replaced.
        self.field("Playback").fill("7")
        self.server.api("PATCH", "settings/cache", {"bandwidth": {"playback": 6_000_000}})
        with self.page.expect_response("**/settings/downloads"):
            self.page.evaluate("dispatchEvent(new Event('focus'))")
        expect(self.field("Playback")).to_have_value("7")
        self.server.api("POST", "downloads", {"url": self.origin.url("clip.mp4")})
        self.eventually(self.page, "it is complete", lambda: {
            record["state"] for record in self.server.downloads().values()} == {"complete"})
        self.field("Maximum size (GB)").fill("0.00001")
        self.page.get_by_role("button", name="Save", exact=True).click()
        expect(self.page.get_by_text("which is more than this limit")).to_be_visible()

    def test_changes_downloads(self):
        self.field("Simultaneous downloads").fill("5")
        self.field("Only while charging").check()
        self.field("Only during these hours").check()
        self.page.get_by_label("From", exact=True).fill("01:30")
        self.page.get_by_label("To", exact=True).fill("06:00")
        self.assertEqual(self.save(self.page), [
            {"limits": {"assets": 5}, "policy": {"onlyCharging": True, "hours": {"start": 90, "end": 360}}}])
        self.page.reload()
        expect(self.field("Simultaneous downloads")).to_have_value("5")
        expect(self.field("Only while charging")).to_be_checked()
        expect(self.page.get_by_label("From", exact=True)).to_have_value("01:30")
        self.field("Only while charging").uncheck()
        self.field("Only during these hours").uncheck()
        self.save(self.page)
        policy = self.server.api("GET", "settings/downloads")["policy"]
        self.assertEqual((policy["onlyCharging"], policy.get("hours")), (False, None))

    def test_reports_invalid_value_without_request(self):
        sent = []
        self.page.on("request", lambda request: request.method == "PATCH" and sent.append(request))
        self.field("Simultaneous downloads").fill("0")
        self.page.get_by_role("button", name="Save", exact=True).click()
        self.assertFalse(self.field("Simultaneous downloads").evaluate("input => input.checkValidity()"))
        self.assertEqual(sent, [])
        expect(self.page.get_by_text("Saved.", exact=True)).to_have_count(0)

    def test_reports_refusal_of_server(self):
        self.page.route("**/api/v1/settings/cache", lambda route: route.fulfill(
            status=500, json={"status": 500, "title": "Storage failure", "detail": "the settings can’t be stored"}))
        self.watch.allow("500")
        self.field("Maximum size (GB)").fill("9")
        self.page.get_by_role("button", name="Save", exact=True).click()
        expect(self.page.get_by_text("The settings can’t be stored.", exact=True)).to_be_visible()
        self.assertEqual(self.field("Maximum size (GB)").input_value(), "9")
