import Testing

@testable import MediaLibrary

struct WindowRequestTests {
    private static let second: Int64 = 1_000_000_000
    /// 2026-01-31T20:15:00Z.
    private static let moment: Int64 = 1_769_890_500 * second
    private static let now = moment + 7200 * second

    private static func request(_ text: String) throws -> WindowRequest? {
        let parts = text.split(separator: "?", maxSplits: 1).map(String.init)
        let items = parts.count < 2 ? [] : parts[1].split(separator: "&", omittingEmptySubsequences: false)
        return try WindowRequest(
            name: parts[0],
            query: items.map { item in
                let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                return (name: pair[0], value: pair.count > 1 ? pair[1] : "")
            }, now: now)
    }

    private static let forms: [(String, WindowRequest)] = [
        ("index.m3u8", .live(nil)),
        ("index.m3u8?token=abc&utm_source=x", .live(nil)),
        ("index.m3u8?window=30", .live(30 * second)),
        ("index.m3u8?window=0", .live(0)),
        ("index.m3u8?begintime=1769890500", .span(from: moment, to: nil)),
        ("index.m3u8?begintime=1769890500000", .span(from: moment, to: nil)),
        ("index.m3u8?begintime=1769890500.25", .span(from: moment + second / 4, to: nil)),
        ("index.m3u8?begintime=1769890500250", .span(from: moment + second / 4, to: nil)),
        ("index.m3u8?begintime=2026-01-31T20:15:00Z", .span(from: moment, to: nil)),
        ("index.m3u8?begintime=2026-01-31T21:15:00+01:00", .span(from: moment, to: nil)),
        ("index.m3u8?begintime=2026-01-31T21:15:00 01:00", .span(from: moment, to: nil)),
        ("index.m3u8?begintime=2026-01-31T21:15:00.5+01:00", .span(from: moment + second / 2, to: nil)),
        ("index.m3u8?begintime=-7200", .span(from: moment, to: nil)),
        ("index.m3u8?begintime=-0.5", .span(from: now - second / 2, to: nil)),
        ("index.m3u8?begintime=-0", .span(from: now, to: nil)),
        ("index.m3u8?begintime=now", .span(from: now, to: nil)),
        ("index.m3u8?begintime=0", .span(from: 0, to: nil)),
        ("index.m3u8?begintime=1769890500&endtime=1769890560", .span(from: moment, to: moment + 60 * second)),
        ("index.m3u8?endtime=1769890560000&begintime=1769890500", .span(from: moment, to: moment + 60 * second)),
        ("index.m3u8?begintime=-7200&endtime=-7140", .span(from: moment, to: moment + 60 * second)),
        ("index.m3u8?begintime=1769890500&endtime=now", .span(from: moment, to: nil)),
        ("index.m3u8?start=1769890500&end=1769890560", .span(from: moment, to: moment + 60 * second)),
        ("index.m3u8?from=1769890500&to=1769890560", .span(from: moment, to: moment + 60 * second)),
        ("index.m3u8?start=1769890500&duration=60", .span(from: moment, to: moment + 60 * second)),
        ("index.m3u8?begintime=1769890500&duration=0.5", .span(from: moment, to: moment + second / 2)),
        ("index.m3u8?utc=1769890500&lutc=1769897700", .span(from: moment, to: nil)),
        ("index.m3u8?utc=1769890500&lutc=1769897700&duration=60", .span(from: moment, to: moment + 60 * second)),
        ("all.m3u8", .all),
        ("all.m3u8?x=y", .all),
        ("archive-1769890500-60.m3u8", .span(from: moment, to: moment + 60 * second)),
        ("archive-1769890500000-60.m3u8", .span(from: moment, to: moment + 60 * second)),
        ("archive-1769890500-now.m3u8", .span(from: moment, to: nil)),
        ("timeshift_abs-1769890500.m3u8", .span(from: moment, to: nil)),
        ("timeshift_rel-90.m3u8", .delayed(90 * second)),
        ("timeshift_rel-0.m3u8", .delayed(0)),
    ]

    @Test(arguments: forms.indices)
    func parsesEachForm(_ index: Int) throws {
        let (form, expected) = Self.forms[index]
        #expect(try Self.request(form) == expected, "\(form)")
    }

    @Test(arguments: ["1.ts", "index.m3u", "playlist.m3u8", "span-1-2.m3u8", "x-archive-1-2.m3u8", ""])
    func ignoresOtherNames(_ name: String) throws {
        #expect(try WindowRequest(name: name, query: [], now: Self.now) == nil)
    }

    @Test(arguments: [
        ("index.m3u8?begintime=", "isn't a time"), ("index.m3u8?begintime=yesterday", "isn't a time"),
        ("index.m3u8?begintime=nan", "isn't a time"), ("index.m3u8?begintime=inf", "isn't a time"),
        ("index.m3u8?begintime=2026-01-31", "isn't a time"),
        ("index.m3u8?begintime=2026-13-31T00:00:00Z", "isn't a time"),
        ("index.m3u8?begintime=1e17", "out of range"), ("index.m3u8?begintime=-1e17", "out of range"),
        ("index.m3u8?begintime=20&endtime=20", "must be after"),
        ("index.m3u8?begintime=20&endtime=10", "must be after"),
        ("index.m3u8?begintime=20&endtime=x", "isn't a time"),
        ("index.m3u8?endtime=20", "needs a start"), ("index.m3u8?duration=20", "needs a start"),
        ("index.m3u8?begintime=1&endtime=2&duration=3", "either an end or a duration"),
        ("index.m3u8?begintime=1&begintime=2", "already given"), ("index.m3u8?begintime=1&start=2", "already given"),
        ("index.m3u8?begintime=1&duration=0", "greater than 0"),
        ("index.m3u8?begintime=1&duration=-5", "number of seconds"),
        ("index.m3u8?begintime=1&duration=x", "number of seconds"),
        ("index.m3u8?window=-1", "number of seconds"), ("index.m3u8?window=1e30", "number of seconds"),
        ("index.m3u8?window=9&begintime=1", "can't be combined"),
        ("index.m3u8?window=9&duration=1", "can't be combined"),
        ("archive-1769890500.m3u8", "the form archive"), ("archive-1-2-3.m3u8", "the form archive"),
        ("archive-x-60.m3u8", "isn't a time"), ("archive-1-x.m3u8", "number of seconds"),
        ("archive-1-0.m3u8", "greater than 0"), ("archive--.m3u8", "isn't a time"),
        ("timeshift_abs-.m3u8", "isn't a time"), ("timeshift_rel-.m3u8", "number of seconds"),
        ("timeshift_rel--5.m3u8", "number of seconds"),
    ])
    func rejectsInvalidRequests(_ form: String, _ words: String) {
        let error = #expect(throws: WindowError.self) { try Self.request(form) }
        #expect(error?.description.contains(words) == true, "\(form): \(error?.description ?? "")")
    }

    /// Extreme times are limited so that sums can't overflow.
    @Test func limitsExtremeTimes() throws {
        guard case .span(let from, let to) = try Self.request("index.m3u8?begintime=-9e15&endtime=9e15") else {
            Issue.record("expected a span")
            return
        }
        #expect(from < 0)
        #expect(try #require(to) > Self.now + 50 * 365 * 86_400 * Self.second)
        guard case .span(_, let end) = try Self.request("index.m3u8?begintime=9e15&duration=999999999") else {
            Issue.record("expected a span")
            return
        }
        #expect(try #require(end) > Self.now)
        // The last time that fits into signed 64-bit nanoseconds, and one near the first.
        let last = try WindowRequest.moment("2262-04-11T23:47:16,854775807Z", "the moment", Self.now)
        #expect(last > Self.now + 50 * 365 * 86_400 * Self.second && last < Int64.max / 2)
        #expect(try WindowRequest.moment("1677-09-21T00:13:00Z", "the moment", Self.now) > Int64.min / 2)
    }

    @Test func parsesNamesOfGrantedWindows() {
        #expect(WindowRequest(granted: "span-5.m3u8") == .span(from: 5, to: nil))
        #expect(WindowRequest(granted: "span-5-7.m3u8") == .span(from: 5, to: 7))
        #expect(WindowRequest(granted: "span-0-9223372036854775807.m3u8") == .span(from: 0, to: .max))
        for name in [
            "span-.m3u8", "span-5-.m3u8", "span--5.m3u8", "span-5--7.m3u8", "span-5-5.m3u8", "span-7-5.m3u8",
            "span-5-6-7.m3u8", "span-+5.m3u8", "span-x.m3u8", "span-5.m3u", "5-7.m3u8", "span-9223372036854775808.m3u8",
            "index.m3u8", "",
        ] {
            #expect(WindowRequest(granted: name) == nil, "\(name)")
        }
    }
}
