"""The limits in the storage view."""

from playwright.sync_api import expect

from page_case import PageCase


class StorageTests(PageCase):
    server_options = ("--max-size", "2GB")

    def test_shows_limit_and_removal_rule(self):
        page = self.open("#/storage")
        usage = page.get_by_role("region", name="Disk usage", exact=True)
        expect(usage).to_contain_text("Cache limit: 2.0 GB, including downloads and recordings.")
        expect(usage).to_contain_text("Only played media is removed")
