import ArgumentParser
import MediaCache
import MediaCacheServer
import Testing

@testable import MediaCacheCLI

struct HostSettingsTests {
    private func settings() throws -> HostSettings {
        try HostSettings(cache: CacheOptions.parse(["--cache", "/c"]))
    }

    @Test func theProxyMayHaveANameAndAPassword() throws {
        var settings = try settings()
        settings.proxy = "http://us%40er:p%3Aw@proxy.example:3128"
        let proxy = try settings.originSettings.proxy
        #expect(
            proxy
                == UpstreamProxy(
                    host: "proxy.example", port: 3128, authorization: .basic(user: "us@er", password: "p:w")))
    }

    @Test(arguments: ["proxy.example:3128", "https://proxy.example", "socks5://h:1"])
    func anotherKindOfProxyIsRefused(text: String) throws {
        var settings = try settings()
        settings.proxy = text
        let failure = #expect(throws: CommandFailure.self) { try settings.originSettings }
        #expect(failure?.exitCode == 64)
    }

    @Test func aNetworkThatIsNoneIsNamed() throws {
        var settings = try settings()
        settings.allowedNetworks = ["192.168.1.0/24", "somewhere"]
        let failure = #expect(throws: CommandFailure.self) { try settings.originSettings }
        #expect(failure?.message.contains("“somewhere”") == true)
    }

    @Test(arguments: [("127.0.0.1", "http://127.0.0.1:80"), ("::1", "http://[::1]:80"), ("[::1]", "http://[::1]:80")])
    func theURLHasTheHostAsItWasNamed(host: String, url: String) throws {
        var settings = try settings()
        settings.host = host
        #expect(settings.url(port: 80) == url)
    }

    @Test func serversHaveLimitsAndPassersByNone() throws {
        let none = try LimitOptions.parse([])
        #expect(none.serverLimits.maximumBytes == 10_000_000_000)
        #expect(none.serverLimits.maximumAge == .seconds(30 * 86400))
        #expect(none.passingLimits.maximumBytes == nil)
        #expect(none.passingLimits.maximumAge == nil)
        let given = try LimitOptions.parse(["--max-size", "1GB", "--max-age", "none", "--min-free", "0"])
        #expect(given.serverLimits == CacheLimits(maximumBytes: 1_000_000_000, maximumAge: nil, minimumFreeBytes: 0))
        #expect(given.passingLimits == given.serverLimits)
    }
}
