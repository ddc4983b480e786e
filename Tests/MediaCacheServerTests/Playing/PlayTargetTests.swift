import MediaCache
import MediaCacheAPI
import Testing

@testable import MediaCacheServer

struct PlayTargetTests {
    @Test(arguments: [
        "http://example.com/a/b.mp4", "https://example.com:8443/%E2%82%AC/a%2Fb.mp4?sig=a%2Bb+c==&x=%",
        "http://[2001:db8::1]:8080/v.mp4", "http://example.com//double/./dot/../x?q=?&;=", "http://example.com/",
        "https://example.com/a?url=http://other.example/?x=1",
    ])
    func preservesPathAndQuery(_ text: String) throws {
        let url = try ResourceURL(text)
        let path = PlayTarget.path(for: url, token: "k")
        let target = try PlayTarget(path)
        #expect(target.url == url && target.url.target == url.target)
        #expect(target.token == "k" && !target.options.fastStart)
    }

    @Test func encodesBracketsOfAuthority() throws {
        let url = try ResourceURL("http://[::1]:8080/v.mp4")
        #expect(PlayTarget.path(for: url, token: "k") == "/play/k/http/%5B::1%5D:8080/v.mp4")
        #expect(try PlayTarget("/play/k/http/[::1]:8080/v.mp4").url == url)
        #expect(try PlayTarget("/play/k/http/%5b%3A%3a1%5D%3A8080/v.mp4").url == url)
    }

    @Test func removesUserInformationFromURL() throws {
        let target = try PlayTarget("/play/k/https/me:p%40ss@example.com/v.mp4")
        #expect(target.credentials == Credentials(userInfo: "me:p%40ss"))
        #expect(target.url.description == "https://example.com/v.mp4")
        #expect(PlayTarget.path(for: target.url, token: "k") == "/play/k/https/example.com/v.mp4")
    }

    @Test func parsesFastStartAfterTokenOrAtEndOfQuery() throws {
        #expect(try PlayTarget("/play/k;faststart=1/http/h/v.mp4").options.fastStart)
        let alone = try PlayTarget("/play/k/http/h/v.mp4?faststart=1")
        #expect(alone.options.fastStart && alone.url.target == "/v.mp4")
        #expect(try PlayTarget("/play/k/http/h/v.mp4?a=1&faststart=1").url.target == "/v.mp4?a=1")
        let inner = try PlayTarget("/play/k/http/h/v.mp4?faststart=1&a=1")
        #expect(!inner.options.fastStart && inner.url.target == "/v.mp4?faststart=1&a=1")
    }

    @Test func parsesCachedOnlyAfterToken() throws {
        let url = try ResourceURL("http://h/a/v.mp4?x=1")
        let plain = "http://127.0.0.1:9" + PlayTarget.path(for: url, token: "k")
        let cached = APIClient.cachedOnly(plain)
        #expect(cached == "http://127.0.0.1:9/play/k;cached=1/http/h/a/v.mp4?x=1")
        #expect(APIClient.cachedOnly(cached) == cached)
        let target = try PlayTarget("/play/k;net=public;cached=1/http/h/a/v.mp4?x=1")
        #expect(target.options == PlayOptions(isPublicOnly: true, isCachedOnly: true))
        #expect(PlayTarget.path(for: url, token: "k", options: target.options).contains("/k;net=public;cached=1/"))
        let profiles = HeaderProfileStore(base: TransferSettings())
        #expect(profiles.settings(for: target)?.allowsOriginRequests == false)
        let other = try PlayTarget("/play/k/http/h/")
        #expect(profiles.settings(for: other)?.allowsOriginRequests == nil)
    }

    @Test func acceptsAuthorityWithoutPath() throws {
        #expect(try PlayTarget("/play/k/http/h").url.target == "/")
        #expect(try PlayTarget("/play/k/http/h?q").url.target == "/?q")
    }

    @Test(arguments: ["/play/", "/play/k", "/play/k/http", "/play/k/http/", "/play/k/ftp/h/x", "/play/k/http/h:0/x"])
    func rejectsMissingOrInvalidParts(_ path: String) {
        #expect(throws: CacheError.self) { try PlayTarget(path) }
    }
}
