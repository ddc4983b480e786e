import Foundation
import HTTPTypes
import MediaCache
import MediaCacheTesting
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
    func sendsCookiesToTheirHostsAndPaths(_ url: String, _ expected: String?) throws {
        let cookies = try CookieFile(Self.text)
        #expect(cookies.fieldValue(for: try ResourceURL(url), now: now) == expected)
    }

    @Test func errorContainsInvalidLine() {
        let error = #expect(throws: CacheError.self) { try CookieFile("# ok\nnot a cookie") }
        #expect(error?.message.contains("line 2") == true)
    }

    @Test func sendsNoCookiesToRedirectTarget() async throws {
        let fixture = try EngineFixture(serving: ScriptedResource(.random(seed: 3, length: 10_000)))
        let elsewhere = try ResourceURL("http://elsewhere.example/film.mp4")
        fixture.origin[elsewhere] = ScriptedResource(.random(seed: 3, length: 10_000))
        fixture.origin.always(fixture.url, .redirect(to: elsewhere.description))
        let cookies = try CookieFile("origin.example\tFALSE\t/\tFALSE\t0\tsession\tabc")
        let store = try await fixture.open { $0.transfers.cookies = cookies }
        _ = try await store.bytes(fixture.url)
        #expect(fixture.origin.requests(for: fixture.url).allSatisfy { $0.headerFields[.cookie] == "session=abc" })
        #expect(fixture.origin.requests(for: fixture.url).count == 1)
        #expect(fixture.origin.requests(for: elsewhere).allSatisfy { $0.headerFields[.cookie] == nil })
        #expect(fixture.origin.requests(for: elsewhere).count == 1)
        await store.close()
    }
}
