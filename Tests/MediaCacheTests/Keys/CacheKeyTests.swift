import HTTPTypes
import Testing

@testable import MediaCache

struct CacheKeyTests {
    @Test func usesWholeURLUnlessItemsAreDropped() throws {
        let url = try ResourceURL("http://a/x?token=1&v=2&sig=%2F&flag")
        #expect(CacheKeyPolicy.wholeURL.key(for: url) == url.description)
        #expect(CacheKeyPolicy.dropping(queryItems: ["token", "sig"]).key(for: url) == "http://a/x?v=2&flag")
        #expect(CacheKeyPolicy.dropping(queryItems: ["token", "sig", "v", "flag"]).key(for: url) == "http://a/x")
        #expect(CacheKeyPolicy { _ in "mine" }.key(for: url) == "mine")
    }

    @Test func includesIdentityOfProfile() throws {
        let url = try ResourceURL("http://a/x")
        var profiles = HeaderProfiles()
        profiles[url] = .init(fields: [.referer: "http://b/"])
        #expect(CacheKeyPolicy.wholeURL.key(for: url, profiles: profiles) == "http://a/x")
        profiles[url] = .init(fields: [.cookie: "u=1"], identity: ProfileIdentity(user: "u1"))
        #expect(CacheKeyPolicy.wholeURL.key(for: url, profiles: profiles) != "http://a/x")
        #expect(CacheKeyPolicy.wholeURL.key(for: try ResourceURL("https://a/x"), profiles: profiles) == "https://a/x")
    }

    @Test func includesUserWithoutPassword() throws {
        let plain = try ResourceURL("http://a/x")
        let key = CacheKeyPolicy.wholeURL.key(for: try ResourceURL("http://bob:secret@a/x"))
        #expect(key == CacheKeyPolicy.wholeURL.key(for: try ResourceURL("http://b%6Fb:other@a/x")))
        #expect(key == CacheKeyPolicy.wholeURL.key(for: try ResourceURL("http://bob@a/x")))
        #expect(key != CacheKeyPolicy.wholeURL.key(for: plain))
        #expect(key != CacheKeyPolicy.wholeURL.key(for: try ResourceURL("http://alice:secret@a/x")))
        #expect(!key.contains("bob") && !key.contains("secret"))
        #expect(CacheKey(key).name == plain.description)
    }

    @Test(arguments: [
        "http://a/x", "a caller-defined key", "", " profile=", "film profile=0123456789abcdef0123456789abcde",
        "film profile=0123456789abcdef0123456789abcdeg", "ü profile=x",
    ])
    func parsesKeyWithoutIdentity(_ text: String) {
        #expect(CacheKey(text) == CacheKey(name: text, identity: nil))
        #expect(CacheKey(CacheKey(name: text, identity: ProfileIdentity(user: "ü")).description).name == text)
    }

    @Test func formatsIdentityWith32Digits() {
        // Test vectors of 128-bit FNV-1a.
        #expect(ProfileIdentity(user: "").description == "6c62272e07bb014262b821756295c58d")
        #expect(ProfileIdentity(user: "a").description == "d228cb696f1a8caf78912b704e4a8964")
        #expect(ProfileIdentity("D228CB696F1A8CAF78912B704E4A8964") == nil)
        #expect(ProfileIdentity("d228cb696f1a8caf78912b704e4a8964") == ProfileIdentity(user: "a"))
    }

    @Test func redactsCredentials() throws {
        let credentials = try #require(try ResourceURL("http://bob:secret@a/x").credentials)
        for text in ["\(credentials)", String(reflecting: credentials), String(reflecting: Optional(credentials))] {
            #expect(!text.contains("bob") && !text.contains("secret"))
        }
    }
}
