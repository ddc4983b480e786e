import MediaLibrary
import NIOHTTP1
import Testing

@testable import MediaCacheServer
@testable import MediaLibrary

struct PlayHeadersTests {
    @Test func exposesOwnFieldsToPages() throws {
        var headers = HTTPHeaders()
        PlayHeaders.addProtection(to: &headers)
        let exposed = try #require(headers.first(name: "Access-Control-Expose-Headers")).split(separator: ", ")
        PlayHeaders.addWindowStart(0, to: &headers)
        PlayHeaders.addGaps([MovieGap(.lost, start: 0, duration: 1)], to: &headers)
        let own = headers.map(\.name).filter { $0.hasPrefix("MediaCache-") }
        #expect(own.count == 3)
        for name in own { #expect(exposed.contains { $0 == name }, "\(name)") }
    }

    @Test func listsFirstGapsAndCountsAll() {
        var gaps = [MovieGap(.lost, start: 6, duration: 5.9994)]
        for index in 0..<30 {
            var gap = MovieGap(.damaged, start: 12 + Double(index), duration: 1)
            gap.name = index == 0 ? "video-1-000002.ts" : "\"\r\nSet-Cookie: a=b"
            gaps.append(gap)
        }
        var headers = HTTPHeaders()
        PlayHeaders.addGaps(gaps, to: &headers)
        #expect(headers.first(name: "MediaCache-Gap-Count") == "31")
        let list = headers.first(name: "MediaCache-Gaps") ?? ""
        #expect(
            list.hasPrefix(
                "lost;start=6.000;duration=5.999, damaged;start=12.000;duration=1.000;name=\"video-1-000002.ts\", "
                    + "damaged;start=13.000;duration=1.000, "))
        #expect(list.split(separator: ",").count == 20)
        #expect(!list.contains("Cookie"))
    }

    @Test(
        arguments: [
            ("", "", true), ("text/plain", "text/plain", true), ("a", "ab", false), ("\u{E9}", "e\u{301}", false),
            ("K", "\u{212A}", false), ("\u{E9}", "\u{E9}", true),
        ] as [(String, String, Bool)])
    func comparesStringsByBytes(_ one: String, _ other: String, _ isSame: Bool) {
        #expect(one.hasSameBytes(as: other) == isSame)
    }

    @Test func addsNoFieldsWithoutGaps() {
        var headers = HTTPHeaders()
        PlayHeaders.addGaps([], to: &headers)
        #expect(headers.isEmpty)
    }
}
