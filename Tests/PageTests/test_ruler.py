"""The time marks of the replay slider."""

from page_case import PageCase


class RulerTests(PageCase):
    def test_marks_are_at_round_times_when_clocks_change(self):
        page = self.open(timezone_id="Europe/Berlin")
        # Summer time ends on 26 October at 3:00, and begins on 29 March at 2:00.
        for begin, end in (
            ("2025-10-25T20:00:00Z", "2025-10-26T20:00:00Z"), ("2026-03-28T20:00:00Z", "2026-03-29T20:00:00Z"),
        ):
            with self.subTest(begin=begin):
                hours = page.evaluate("""async ([base, begin, end]) => {
                    const { roundTimes } = await import(base + "page/ruler.js");
                    const range = { from: Date.parse(begin), to: Date.parse(end) };
                    return roundTimes(range, 6 * 3_600_000).map((at) => new Date(at).getHours());
                }""", [self.server.page, begin, end])
                self.assertEqual(hours, [0, 6, 12, 18])

    def test_range_without_finite_bounds_has_no_marks(self):
        page = self.open()
        counts = page.evaluate("""async (base) => {
            const { roundTimes } = await import(base + "page/ruler.js");
            const ranges = [[NaN, 1000], [0, NaN], [NaN, NaN], [0, Infinity], [-Infinity, 0], [1e300, 2e300]];
            return ranges.map(([from, to]) => roundTimes({ from, to }, 1000).length);
        }""", self.server.page)
        self.assertEqual(counts, [0] * 6)
