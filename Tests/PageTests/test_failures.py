"""Failing origins: messages state the failure and what to do."""

import time
from playwright.sync_api import Page, expect

from page_case import PageCase

# Text that must not appear in messages.
JARGON = r"undefined|\[object|NaN|TypeError|HTTPError|Optional\(|problem\+json"


class FailureTests(PageCase):
    def test_reports_unusable_url_next_to_field(self):
        self.origin.answer("secret.mp4", 403, "no")
        self.origin.answer("login.m3u8", 200, "<!doctype html><title>Log in</title><form><input name=user></form>")
        self.origin.answer("broken.m3u8", 500, "oops")
        self.origin.answer("wants-login.mp4", 401, "who are you")
        self.origin.answer("busy.mp4", 429, "later")
        gone = "http://127.0.0.1:9/film.mp4"
        page = self.open()
        self.watch.allow(r"status of (4\d\d|5\d\d)")
        for url, words in (
            (self.origin.url("missing.mp4"), r"(?i)404|not found|isn’t there|doesn't have|no such|nothing"),
            (self.origin.url("secret.mp4"), r"(?i)403|forbid|refuse|not allowed|log ?in|permission"),
            (self.origin.url("login.m3u8"),
             r"is a web page \(text/html\), not media; the link may need a login or have expired\.$"),
            (self.origin.url("broken.m3u8"), r"(?i)500|server error|failed|trouble"),
            (gone, r"(?i)(nothing listens at|connection refused by) 127\.0\.0\.1:9\b"),
            (self.origin.url("wants-login.mp4"), r"user:password@"),
            (self.origin.url("busy.mp4"), r"Wait a few minutes"),
            ("ftp://example.org/film.mp4", r"(?i)http"),
            ("not a url", r"(?i)url|http|address"),
        ):
            with self.subTest(url=url):
                text = self.error_of(page, url)
                self.assertRegex(text, words)
                self.assertNotRegex(text, JARGON)
                self.assertGreater(len(text.split()), 3, f"too few words: {text}")
                field = page.get_by_role("textbox", name="URL of a video, a song or a stream")
                expect(field).to_have_value(url)
                described = field.get_attribute("aria-describedby") or field.get_attribute("aria-errormessage") or ""
                self.assertIn("add-error", described.split())

    def test_discards_result_of_earlier_probe(self):
        def answer_late():
            time.sleep(3)
            return 404, "text/html", b"gone"

        self.origin.answers["/late.mp4"] = answer_late
        page = self.open()
        self.watch.allow(r"status of (4\d\d|5\d\d)")
        field = page.get_by_role("textbox", name="URL of a video, a song or a stream")
        field.fill(self.origin.url("late.mp4"))
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.get_by_role("button", name="Checking…")).to_be_visible()
        text = self.error_of(page, "not a url")
        self.assertIn("isn’t a supported URL", text)
        page.wait_for_timeout(4_000)
        expect(page.locator("#add-error")).to_have_text(text)
        expect(page.get_by_role("button", name="Add", exact=True)).to_be_visible()

    def test_failed_download_shows_reason_and_retries(self):
        self.origin.aliases["/later.mp4"] = "/clip.mp4"
        self.origin.answer("later.mp4", 403, "not yet")
        self.server.api("POST", "downloads", {"url": self.origin.url("later.mp4"), "title": "Not yet"})
        page = self.open("#/downloads")
        item = self.item(page, "Not yet")
        again = item.get_by_role("button", name="Try again Not yet")
        expect(again).to_be_visible()
        self.assertRegex(item.inner_text(), r"(?i)403|forbid|refuse")
        self.assertNotRegex(item.inner_text(), JARGON)
        del self.origin.answers["/later.mp4"]
        again.click()
        self.eventually(page, "it is complete", lambda: self.server.downloads()["Not yet"]["state"] == "complete")
        expect(again).to_be_hidden()

    def test_background_failure_shows_dismissible_problem(self):
        page = self.open()
        problems = page.get_by_role("region", name="Problems")
        expect(problems).to_be_hidden()
        self.origin.answer("meanwhile.mp4", 404, "gone")
        self.server.api("POST", "downloads", {"url": self.origin.url("meanwhile.mp4"), "title": "Meanwhile"})
        expect(problems).to_contain_text("Meanwhile")
        self.assertNotRegex(problems.inner_text(), JARGON)
        problems.get_by_role("button", name="Dismiss").first.click()
        dismiss_all = problems.get_by_role("button", name="Dismiss all")
        if dismiss_all.is_visible():
            dismiss_all.click()
        expect(problems).to_be_hidden()

    def test_repeated_problem_replaces_text_and_link(self):
        page = self.open()
        problems = page.get_by_role("region", name="Problems")
        for number, route in (("first", "#/downloads"), ("second", "#/channels")):
            page.evaluate("""async ([base, number, href]) => {
                const { reportProblem } = await import(base + "page/notices.js");
                reportProblem("subject", `The ${number} failure.`, { label: `Open the ${number}`, href });
            }""", [self.server.page, number, route])
            item = problems.get_by_role("listitem").filter(has_text=f"The {number} failure.")
            expect(item.get_by_role("button", name=f"Dismiss: The {number} failure.")).to_be_visible()
            expect(item.get_by_role("link", name=f"Open the {number}")).to_have_attribute("href", route)

    def test_reports_gaps_of_one_outage_together(self):
        page = self.open()
        problems = page.get_by_role("region", name="Problems")
        start = 1_769_889_120_000
        for seconds in (0, 6, 6):
            page.evaluate("""async ([base, start]) => {
                const { reportEvent } = await import(base + "page/failures.js");
                reportEvent({ event: "channel.gap", channel: "live", track: "video-1", start, duration: 6,
                    message: "the origin was offline" });
            }""", [self.server.page, start + seconds * 1000])
        text = page.evaluate("""async ([base, start]) => {
            const { time } = await import(base + "page/format.js");
            return `“live”: 12 seconds missing (${time(start)}–${time(start + 12_000)}). The origin was offline.`;
        }""", [self.server.page, start])
        expect(problems.get_by_role("listitem")).to_have_count(1)
        expect(problems).to_contain_text(text)

    def test_reports_unplayable_url(self):
        self.origin.answer("noise.mp4", 404, "gone")
        page = self.open()
        self.watch.allow(r"status of (4\d\d|5\d\d)|MEDIA|media|NotSupportedError")
        self.play(page, self.origin.url("noise.mp4"))
        error = page.locator("#player-error")
        expect(error).to_be_visible()
        self.assertNotRegex(error.inner_text(), JARGON)
        self.assertRegex(error.inner_text(), r"(?i)404|origin|isn’t there|not found")
        self.origin.answers.pop("/noise.mp4")
        self.origin.aliases["/noise.mp4"] = "/clip.mp4"
        page.get_by_role("button", name="Try again").click()
        self.wait_for_frame(page)
        expect(error).to_be_hidden()

    def test_download_resumes_after_origin_outage(self):
        self.origin.rate = 200_000
        self.origin.aliases["/middle.mp4"] = "/clip.mp4"
        self.server.api("POST", "downloads", {"url": self.origin.url("middle.mp4"), "title": "Halfway"})
        page = self.open("#/downloads")
        self.eventually(page, "part of it is received", lambda: self.server.downloads()["Halfway"]["bytes"] > 100_000)
        self.origin.stop()
        item = self.item(page, "Halfway")
        self.eventually(page, "it is waiting or failed",
                        lambda: self.server.downloads()["Halfway"]["state"] in ("waiting", "failed"))
        expect(item).to_contain_text("127.0.0.1")
        self.assertNotRegex(item.inner_text(), JARGON)
        self.origin.rate = None
        self.origin.start()
        again = item.get_by_role("button", name="Try again Halfway")
        self.eventually(page, "it resumes or can be retried", lambda: again.is_visible()
                        or self.server.downloads()["Halfway"]["state"] in ("running", "complete"))
        if again.is_visible():
            again.click()
        self.eventually(page, "it is complete",
                        lambda: self.server.downloads()["Halfway"]["state"] == "complete", within=60)

    def error_of(self, page: Page, url: str) -> str:
        error = page.locator("#add-error")
        # Clears the message for the previous URL.
        error.evaluate("element => element.replaceChildren()")
        page.get_by_role("textbox", name="URL of a video, a song or a stream").fill(url)
        page.keyboard.press("Enter")
        self.eventually(page, "there is a message next to the field",
                        lambda: error.is_visible() and error.inner_text().strip())
        return error.inner_text()
