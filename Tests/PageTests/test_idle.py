"""Requests of an idle page, which waits for events instead of polling."""

import time

from playwright.sync_api import expect

from page_case import PageCase

SECONDS = 10


class IdleTests(PageCase):
    def test_idle_views_send_no_requests(self):
        """Opens each view in its own context, and observes all of them at the same time."""
        title = "A clip"
        added = self.server.api("POST", "downloads", {"url": self.origin.url("clip.mp4"), "title": title})
        pages = {}
        for route in ("#/library", "#/downloads", "#/channels", "#/played", "#/storage", f"#/play/asset/{added['id']}"):
            page = self.open(route)
            pages[route] = page, self.watch
            if route.startswith("#/play/"):
                video = page.locator("video")
                self.eventually(page, "the video is loaded", lambda: video.evaluate("video => video.readyState > 3"))
                video.evaluate("video => video.pause()")
        self.eventually(page, "the download is complete",
                        lambda: self.server.downloads()[title]["state"] == "complete")
        self.eventually(page, "all pages are idle", lambda: self.is_still(page, pages))
        before = self.counts(pages)
        traffic = self.origin.traffic
        page.wait_for_timeout(SECONDS * 1000)
        sent = {route: watch.requests[before[route]:] for route, (_, watch) in pages.items()}
        self.assertEqual({route: requests for route, requests in sent.items() if requests}, {})
        self.assertEqual(self.origin.traffic, traffic)
        for route, (_, watch) in pages.items():
            streams = [request for request in watch.requests if request == "GET /api/v1/events"]
            # Opening a view may reload the page once.
            self.assertIn(len(streams), (1, 2), f"event streams of {route}")

    def test_event_updates_view(self):
        page = self.open("#/library")
        expect(page.get_by_role("heading", level=1)).to_have_text("Library")
        began = time.monotonic()
        self.server.api("POST", "downloads", {"url": self.origin.url("song.m4a"), "title": "A song"})
        expect(self.item(page, "A song")).to_have_attribute("data-state", "complete")
        self.assertLess(time.monotonic() - began, 20)

    def is_still(self, page, pages) -> bool:
        before = self.counts(pages)
        page.wait_for_timeout(1500)
        return self.counts(pages) == before

    def counts(self, pages) -> dict[str, int]:
        return {route: len(watch.requests) for route, (_, watch) in pages.items()}
