import ArgumentParser
import Foundation
import MediaCache
import MediaCacheCurl
import MediaCacheServer
import Testing

@testable import MediaCacheCLI

struct HostSettingsTests {
    private func settings(
        _ options: [Setting: String] = [:], environment: [String: String] = [:], file: String = "{}"
    ) throws -> HostSettings {
        let values = options.merging([.cache: "/c"]) { $1 }
        return try HostSettings(
            Settings(
                options: values, environment: environment, file: ConfigurationFile(path: "c.json", Data(file.utf8))))
    }

    @Test func parsesCredentialsOfProxy() throws {
        let proxy = try settings([.proxy: "http://us%40er:p%3Aw@proxy.example:3128"]).originSettings.proxy
        #expect(
            proxy
                == UpstreamProxy(
                    host: "proxy.example", port: 3128, authorization: .basic(user: "us@er", password: "p:w")))
    }

    @Test(arguments: [
        ("https://p", UpstreamProxy(kind: .https, host: "p", port: 443)),
        ("https://p:80", UpstreamProxy(kind: .https, host: "p", port: 80)),
        ("SOCKS5://[::1]", UpstreamProxy(kind: .socks5, host: "::1", port: 1080)),
        (
            "socks5h://u:w@p:9",
            UpstreamProxy(kind: .socks5, host: "p", port: 9, authorization: .basic(user: "u", password: "w"))
        ),
    ])
    func parsesKindOfProxy(text: String, proxy: UpstreamProxy) throws {
        #expect(try settings([.proxy: text]).originSettings.proxy == proxy)
    }

    @Test(arguments: ["proxy.example:3128", "ftp://proxy.example", "socks4://h:1"])
    func rejectsOtherProxies(text: String) throws {
        let failure = #expect(throws: CommandFailure.self) { try settings([.proxy: text]) }
        #expect(failure?.exitCode == 64 && failure?.message.hasPrefix("--proxy: ") == true)
        let other = #expect(throws: CommandFailure.self) { try settings(environment: ["MEDIACACHE_PROXY": text]) }
        #expect(other?.message.hasPrefix("$MEDIACACHE_PROXY: ") == true)
    }

    @Test func limitsTransfers() throws {
        let settings = try settings(
            [.connectTimeout: "3s", .retries: "0", .limitClassRate: "recording=2M\nplayback=3MiB/s"],
            environment: ["MEDIACACHE_RESPONSE_TIMEOUT": "1m"],
            file: #"{"stallTimeout": "500ms", "readAhead": "256KiB", "limitTotalRate": "2MB/s"}"#)
        let store = settings.storeConfiguration
        #expect(
            store.transfers.limits
                == TransferLimits(connect: .seconds(3), firstByte: .seconds(60), stall: .milliseconds(500)))
        #expect(store.transfers.retries.budget == 0)
        #expect(store.transfers.readAhead == ReadAhead(initial: 256 << 10, maximum: 256 << 10))
        #expect(
            store.bandwidth
                == BandwidthLimits(total: 2_000_000, classes: [.recording: 2_000_000, .playback: 3 << 20]))
    }

    @Test(arguments: [
        (Setting.stallTimeout, "0s"), (.retries, "-1"), (.readAhead, "1kB"), (.limitTotalRate, "fast"),
        (.limitClassRate, "2MB/s"), (.limitClassRate, "recording=0"), (.limitClassRate, "films=1MB/s"),
        (.limitClassRate, "download=1MB/s"),
    ])
    func rejectsInvalidLimitsOfTransfers(setting: Setting, text: String) throws {
        let failure = #expect(throws: CommandFailure.self) { try settings([setting: text]) }
        #expect(failure?.message.hasPrefix("\(setting.option): ") == true, "\(failure as Any)")
    }

    @Test func errorContainsInvalidNetworkAndItsPlace() throws {
        let failure = #expect(throws: CommandFailure.self) {
            try settings(file: #"{"allowNet": ["192.168.1.0/24", "somewhere"]}"#)
        }
        #expect(failure?.message.hasPrefix("c.json: allowNet: “somewhere”") == true)
    }

    @Test(arguments: [("127.0.0.1", "http://127.0.0.1:80"), ("::1", "http://[::1]:80"), ("[::1]", "http://[::1]:80")])
    func urlHasGivenHost(host: String, url: String) throws {
        var settings = try settings()
        settings.host = host
        #expect(settings.url(port: 80) == url)
    }

    private func server(_ options: [Setting: String], file: String = "{}") throws -> HostSettings {
        try ServeConfiguration(
            options: options, environment: ["HOME": "/h"], file: ConfigurationFile(path: "c.json", Data(file.utf8))
        ).hostSettings()
    }

    @Test func networkServerListensOnAllAddressesUnlessHostIsGiven() throws {
        let all = try server([.lan: "true"])
        #expect(all.host == "0.0.0.0" && all.isOnNetwork)
        let configuration = all.serverConfiguration
        #expect(configuration.isExposed && configuration.sharesLibrary && !configuration.publicRead)
        let names = configuration.allowedHosts
        #expect(names == [HostSettings.multicastName].compactMap(\.self) && names.allSatisfy { $0.hasSuffix(".local") })
        #expect(all.url(port: 80) == "http://127.0.0.1:80")
        #expect(try server([.lan: "true", .host: "192.168.1.5"]).host == "192.168.1.5")
        #expect(try server([.lan: "true"], file: #"{"host": "192.168.1.5"}"#).host == "192.168.1.5")
        let local = try server([.lan: "false"], file: #"{"lan": true}"#)
        #expect(local.host == "127.0.0.1" && !local.isOnNetwork && !local.serverConfiguration.sharesLibrary)
        let temporary = all.forThisProcess
        #expect(temporary.host == "127.0.0.1" && !temporary.serverConfiguration.sharesLibrary)
        #expect(!temporary.serverConfiguration.isExposed)
    }

    @Test(arguments: ["127.0.0.1", "localhost", "::1", "[::1]"])
    func networkServerRejectsLoopback(host: String) throws {
        let failure = #expect(throws: CommandFailure.self) {
            try server([.lan: "true"], file: #"{"host": "\#(host)"}"#)
        }
        #expect(failure?.exitCode == 64 && failure?.message.contains("c.json: host") == true, "\(failure as Any)")
    }

    @Test func meteredSettingReachesServer() throws {
        #expect(try server([.metered: "true"]).serverConfiguration.isMetered)
        #expect(try !server([:]).serverConfiguration.isMetered)
    }

    /// A server that runs for one command only must neither conflict with another server's port nor be exposed to the
    /// network.
    @Test func serverOfOneCommandListensOnFreeLoopbackPort() throws {
        let server = try ServeConfiguration(
            environment: ["HOME": "/h"],
            file: ConfigurationFile(
                path: "c.json", Data(#"{"host": "0.0.0.0", "port": 9479, "publicRead": true}"#.utf8))
        ).hostSettings()
        #expect(server.host == "0.0.0.0" && server.port == 9479 && server.publicRead)
        let temporary = server.forThisProcess
        #expect(temporary.host == "127.0.0.1" && temporary.port == 0 && !temporary.publicRead)
    }

    @Test func onlyServersHaveDefaultLimits() throws {
        let cache = try CacheOptions.parse(["--cache", "/c"])
        let server = try ServeConfiguration(options: cache.values).hostSettings()
        #expect(server.limits.maximumBytes == 10_000_000_000)
        #expect(server.limits.maximumAge == .seconds(30 * 86400))
        let file = try ConfigurationFile(path: "c.json", Data(#"{"cache": "/c", "maxSize": "5GB"}"#.utf8))
        #expect(try ServeConfiguration(file: file).hostSettings().limits.maximumBytes == 5_000_000_000)
        let command = try HostSettings(cache: cache).limits
        #expect(command == CacheLimits(maximumBytes: nil, maximumAge: nil, minimumFreeBytes: 1_000_000_000))
        let given = try LimitOptions.parse(["--max-size", "1GB", "--max-age", "none", "--min-free", "0"])
        #expect(
            try HostSettings(cache: cache, limits: given).limits
                == CacheLimits(maximumBytes: 1_000_000_000, maximumAge: nil, minimumFreeBytes: 0))
    }

    @Test func commandsLeaveConfiguredFreeSpace() throws {
        let folder = try TestFolder()
        let file = folder.file("config.json")
        try Data(#"{"cache": "/c", "maxSize": "5GB", "minFree": "100MB"}"#.utf8).write(to: URL(fileURLWithPath: file))
        let cache = try CacheOptions.parse(["--config", file])
        #expect(
            try HostSettings(cache: cache).limits
                == CacheLimits(maximumBytes: nil, maximumAge: nil, minimumFreeBytes: 100_000_000))
        let given = try LimitOptions.parse(["--min-free", "2GB"])
        #expect(try HostSettings(cache: cache, limits: given).limits.minimumFreeBytes == 2_000_000_000)
    }
}
