import Foundation
import MediaCache
import Testing

struct CookieFileTests {
    private static let text = """
        # Netscape HTTP Cookie File
        .example.com\tTRUE\t/\tFALSE\t0\tplain\t1
        video.example.com\tFALSE\t/films\tTRUE\t2000000000\tdeep\t2
        #HttpOnly_other.org\tFALSE\t/\tFALSE\t1000\told\t3

        """

    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(arguments: [
        ("https://video.example.com/films/1.mp4", "deep=2; plain=1"),
        ("http://video.example.com/films/1.mp4", "plain=1"),
        ("https://video.example.com/filmstrip", "plain=1"),
        ("https://example.com/", "plain=1"),
        ("https://badexample.com/", nil),
        ("https://other.org/", nil),
    ])
    func cookiesGoWhereTheyBelong(_ url: String, _ expected: String?) throws {
        let cookies = try CookieFile(Self.text)
        #expect(cookies.fieldValue(for: try ResourceURL(url), now: now) == expected)
    }

    @Test func aLineThatIsNoCookieIsNamed() {
        let error = #expect(throws: CacheError.self) { try CookieFile("# ok\nnot a cookie") }
        #expect(error?.message.contains("line 2") == true)
    }
}
