"""What the page says of the limits, and of what would go."""

from playwright.sync_api import expect

from page_case import PageCase


class StorageTests(PageCase):
    server_options = ("--max-size", "2GB")

    def test_the_limit_is_of_all_and_what_was_played_through_goes(self):
        page = self.open("#/storage")
        use = page.get_by_role("region", name="Use", exact=True)
        expect(use).to_contain_text("All that is kept may use 2.0 GB, downloads and recordings with it.")
        expect(use).to_contain_text("only what was played through goes")
