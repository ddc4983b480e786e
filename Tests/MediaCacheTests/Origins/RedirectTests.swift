import HTTPTypes
import MediaCache
import MediaCacheTesting
import Testing

struct RedirectTests {
    static let body = ScriptedBody.random(seed: 71, length: 1_500_000)
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture() }

    @Test(arguments: [301, 302, 303, 307, 308])
    func followsRedirects(_ status: Int) async throws {
        let target = try ResourceURL("https://cdn.example/a/b.mp4?sig=x%2Fy")
        fixture.origin[target] = ScriptedResource(Self.body)
        fixture.origin[fixture.url] = ScriptedResource(.text(""))
        fixture.origin.always(fixture.url, .redirect(to: target.description, status: status))
        let store = try await fixture.open()
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        // The target is remembered for a while.
        #expect(fixture.origin.requests(for: fixture.url).count == 1)
        #expect(fixture.origin.requests(for: target).allSatisfy { $0.range != nil })
        await store.close()
    }

    @Test func resolvesRelativeTargetsAgainstFinalURL() async throws {
        let second = try ResourceURL("http://other.example/deep/er/x.mp4")
        let third = try ResourceURL("http://other.example/deep/y.mp4?z=1")
        fixture.origin.always(fixture.url, .redirect(to: "//other.example/deep/er/x.mp4"))
        fixture.origin.always(second, .redirect(to: "../y.mp4?z=1"))
        fixture.origin[third] = ScriptedResource(Self.body)
        let store = try await fixture.open()
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(fixture.origin.requests.prefix(3).map(\.url) == [fixture.url, second, third])
        await store.close()
    }

    @Test func sendsProfileToItsAuthorityOnly() async throws {
        let url = try ResourceURL("http://user:pass@origin.example/film.mp4")
        let target = try ResourceURL("http://cdn.example/film.mp4")
        let port = try ResourceURL("http://origin.example:8080/film.mp4")
        fixture.origin.always(url, .redirect(to: port.description))
        fixture.origin.always(port, .redirect(to: target.description))
        fixture.origin[target] = ScriptedResource(Self.body)
        let cookie = HTTPField.Name.cookie
        let store = try await fixture.open { configuration in
            configuration.transfers.headerProfiles[url] = .init(fields: [cookie: "secret=1"])
            configuration.transfers.headerProfiles[target] = .init(fields: [.referer: "http://page.example/"])
        }
        #expect(try await store.bytes(url) == Self.body.bytes)
        let requests = fixture.origin.requests
        #expect(requests[0].headerFields[cookie] == "secret=1")
        #expect(requests[0].headerFields[.authorization] == "Basic dXNlcjpwYXNz")
        #expect(requests[1].headerFields[cookie] == nil)
        #expect(requests[1].headerFields[.authorization] == nil)
        for request in requests.dropFirst(2) {
            #expect(request.headerFields[cookie] == nil)
            #expect(request.headerFields[.authorization] == nil)
            #expect(request.headerFields[.referer] == "http://page.example/")
        }
        await store.close()
    }

    @Test func abandonsRedirectLoops() async throws {
        let other = try ResourceURL("http://origin.example/other.mp4")
        fixture.origin.always(fixture.url, .redirect(to: "other.mp4"))
        fixture.origin.always(other, .redirect(to: "film.mp4"))
        // Another attempt would follow the same redirects.
        let store = try await fixture.open { $0.transfers.retries = RetryPolicy(budget: 5) }
        try await fixture.expectFailure(store, of: Self.body, code: .badResponse)
        #expect(fixture.origin.requests.count == 2)
        await store.close()
    }

    @Test func abandonsLongRedirectChains() async throws {
        for number in 0..<20 {
            let url = try ResourceURL("http://origin.example/\(number)")
            fixture.origin.always(url, .redirect(to: "/\(number + 1)"))
        }
        let store = try await fixture.open { $0.transfers.maximumRedirects = 5 }
        let start = try ResourceURL("http://origin.example/0")
        await expectError(.badResponse) { try await store.bytes(start) }
        #expect(fixture.origin.requests.count == 6)
        await store.close()
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://a.example/x", "http://", ""])
    func refusesTargetsOtherThanHTTP(_ target: String) async throws {
        fixture.origin.always(fixture.url, .redirect(to: target))
        let store = try await fixture.open()
        try await fixture.expectFailure(store, of: Self.body, code: .badResponse)
        #expect(fixture.origin.requests.count == 1)
        #expect(try await store.resource(for: fixture.url) == nil)
        await store.close()
    }

    @Test(arguments: [false, true])
    func permitsRedirectFromPublicToLocalOnlyIfConfigured(_ isAllowed: Bool) async throws {
        let local = try ResourceURL("http://192.168.0.1/film.mp4")
        fixture.origin[fixture.url] = ScriptedResource(Self.body, peer: .global)
        fixture.origin.always(fixture.url, .redirect(to: local.description))
        fixture.origin[local] = ScriptedResource(Self.body, peer: .local)
        let store = try await fixture.open { $0.transfers.allowsLocalRedirects = isAllowed }
        if isAllowed {
            #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        } else {
            for _ in 0..<2 {
                try await fixture.expectFailure(store, of: Self.body, code: .forbiddenAddress)
            }
            #expect(fixture.origin.requests(for: local).isEmpty)
        }
        await store.close()
    }

    @Test func permitsRedirectFromLocalToLocal() async throws {
        let local = try ResourceURL("http://[::1]:8080/film.mp4")
        fixture.origin[fixture.url] = ScriptedResource(Self.body, peer: .local)
        fixture.origin.always(fixture.url, .redirect(to: local.description))
        fixture.origin[local] = ScriptedResource(Self.body, peer: .local)
        let store = try await fixture.open()
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        await store.close()
    }

    /// Makes the origin redirect first to one URL, and then to another.
    private func redirectToTwoTargets() throws -> (first: ResourceURL, second: ResourceURL) {
        let first = try ResourceURL("http://cdn.example/1.mp4")
        let second = try ResourceURL("http://cdn.example/2.mp4")
        fixture.origin.next(fixture.url, .redirect(to: first.description))
        fixture.origin.always(fixture.url, .redirect(to: second.description))
        fixture.origin[first] = ScriptedResource(Self.body)
        fixture.origin[second] = ScriptedResource(Self.body)
        return (first, second)
    }

    @Test func requestsOriginalURLWhenTargetHasExpired() async throws {
        let (first, second) = try redirectToTwoTargets()
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(0, through: 99))
        fixture.origin.always(first, .status(403))
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(fixture.origin.requests(for: second).count >= 1)
        await store.close()
    }

    @Test func requestsOriginalURLWhenTargetIsUnreachable() async throws {
        let (first, _) = try redirectToTwoTargets()
        let store = try await fixture.open { $0.transfers.readAhead = ReadAhead(initial: 64 << 10, maximum: 64 << 10) }
        _ = try await store.bytes(fixture.url, .closed(0, through: 99))
        fixture.origin.always(first, .unreachable)
        // The first attempt fails without a retry, unless a revalidation in the background has failed before.
        _ = try? await store.bytes(fixture.url)
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        await store.close()
    }
}
