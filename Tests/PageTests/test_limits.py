"""The limits of a channel's recording."""

from playwright.sync_api import Page, expect

from page_case import PageCase


class LimitTests(PageCase):
    def test_saving_preserves_unedited_limits(self):
        self.origin.answer("none.m3u8", 404, "gone")
        url = self.origin.url("none.m3u8")
        channels = {
            "odd": {"seconds": 100_000, "bytes": 1 << 30}, "small": {"seconds": 10, "bytes": 2_000_000},
        }
        for name, limits in channels.items():
            self.server.api("POST", "channels", {"name": name, "url": url, "retention": limits})
        page = self.open()
        self.watch.allow(r"status of (4\d\d|5\d\d)|MEDIA|media")
        for name, limits in channels.items():
            with self.subTest(name=name):
                self.go(page, f"#/channels/{name}")
                self.save(page)
                self.assertEqual(self.limits(name), limits)
                self.save(page, size="2.5")
                self.assertEqual(self.limits(name), {**limits, "bytes": 2_500_000_000})
                self.save(page, size="")
                self.assertEqual(self.limits(name), {**limits, "bytes": None})

    def save(self, page: Page, size: str | None = None):
        page.get_by_role("button", name="Limits", exact=True).click()
        dialog = page.get_by_role("dialog")
        if size is not None:
            dialog.get_by_role("spinbutton", name="Maximum size (GB)").fill(size)
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(dialog).to_have_count(0)

    def limits(self, name: str) -> dict[str, float | None]:
        retention = self.server.api("GET", f"channels/{name}")["retention"]
        return {key: retention.get(key) for key in ("seconds", "bytes")}
