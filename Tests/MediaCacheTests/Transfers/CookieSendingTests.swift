import HTTPTypes
import MediaCache
import MediaCacheTesting
import Testing

struct CookieSendingTests {
    @Test func cookiesGoToTheirHostAndNotAlongWithARedirect() async throws {
        let fixture = try EngineFixture()
        let elsewhere = try ResourceURL("http://elsewhere.example/film.mp4")
        fixture.origin[elsewhere] = ScriptedResource(.random(seed: 3, length: 10_000))
        fixture.origin[fixture.url] = ScriptedResource(.random(seed: 3, length: 10_000))
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
