import Foundation
import MediaCache
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaCacheAVFoundation

struct PlaybackRouteTests {
    private static let body = ScriptedBody.random(seed: 711, length: 200_000)

    /// A provider of local URLs that counts the URLs in use.
    private final class CountingProvider: LocalURLProvider {
        let inUse = Mutex(0)

        func localURL(for url: ResourceURL) async throws -> LocalURL {
            inUse.withLock { $0 += 1 }
            return LocalURL("http://127.0.0.1:1\(url.target)") { [weak self] in self?.inUse.withLock { $0 -= 1 } }
        }
    }

    private func kind(of route: PlaybackRoute) -> String { String("\(route)".prefix { $0 != "(" }) }

    @Test func playsCompleteFilmFromFile() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let url = try fixture.serve(Self.body)
        #expect(try await kind(of: PlaybackRoute.find(for: url, in: store, server: nil)) == "loader")
        _ = try await store.fill(ReadRequest(url: url, range: .closed(0, through: 999)))
        #expect(try await kind(of: PlaybackRoute.find(for: url, in: store, server: nil)) == "loader")
        _ = try await store.complete(ReadRequest(url: url))
        guard case .file(let file) = try await PlaybackRoute.find(for: url, in: store, server: nil) else {
            Issue.record("a complete film must use its file")
            return
        }
        #expect(file.path.hasSuffix(".mp4"))
        let data = try #require(FileManager.default.contents(atPath: file.path))
        #expect(Self.body.matches(Array(data)) && data.count == 200_000)
        await store.close()
    }

    /// A URL has a separate resource for each user, and one for requests without a user.
    @Test func doesNotPlayFileOfOtherUser() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let url = try fixture.serve(Self.body)
        func settings(of user: String) -> TransferSettings {
            var settings = store.transfers
            settings.headerProfiles[url] = HeaderProfiles.Profile(identity: ProfileIdentity(user: user))
            return settings
        }
        let own = settings(of: "anna")
        _ = try await store.complete(ReadRequest(url: url, settings: own))
        for other in [settings(of: "bob"), nil] {
            let route = try await PlaybackRoute.find(for: url, in: store, settings: other, server: nil)
            #expect(kind(of: route) == "loader")
        }
        #expect(try await kind(of: PlaybackRoute.find(for: url, in: store, settings: own, server: nil)) == "file")
        await store.close()
    }

    @Test(arguments: ["live/index.m3u8", "list.M3U8?token=1", "radio.m3u"])
    func streamRequiresServer(name: String) async throws {
        let (fixture, store) = try await PlayerFixture.open()
        defer { withExtendedLifetime(fixture) {} }
        let url = try ResourceURL("https://origin.example/\(name)")
        await #expect { try await PlaybackRoute.find(for: url, in: store, server: nil) } throws: { error in
            (error as? CacheError)?.code == .invalidSetting
        }
        let server = CountingProvider()
        var route: PlaybackRoute? = try await PlaybackRoute.find(for: url, in: store, server: server)
        guard case .server(let local) = route else {
            Issue.record("a stream must use the server")
            return
        }
        #expect(local.text == "http://127.0.0.1:1\(url.target)")
        withExtendedLifetime(local) { #expect(server.inUse.withLock { $0 } == 1) }
        route = nil
        await store.close()
    }

    @Test func recognizesStreamByFirstBytes() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let url = try fixture.serve(.text("#EXTM3U\n#EXT-X-ENDLIST\n"), at: "play?id=1") {
            $0.contentType = "text/plain"
        }
        #expect(try await kind(of: PlaybackRoute.find(for: url, in: store, server: CountingProvider())) == "server")
        let gone = try ResourceURL("https://origin.example/gone")
        #expect(try await kind(of: PlaybackRoute.find(for: gone, in: store, server: CountingProvider())) == "loader")
        await store.close()
    }

    /// AVFoundation loads a resource without a length from a server, but not from an app.
    @Test func resourceOfUnknownLengthUsesServer() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let url = try fixture.serve(Self.body) { $0.acceptsRanges = false }
        let gate = ScriptedGate()
        fixture.origin.always(url, .noContentLength, .holdBody(at: 2000, gate))
        #expect(try await kind(of: PlaybackRoute.find(for: url, in: store, server: CountingProvider())) == "server")
        #expect(try await kind(of: PlaybackRoute.find(for: url, in: store, server: nil)) == "loader")
        gate.open()
        await store.close()
    }

    @Test func recognizesCachedStream() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let url = try fixture.serve(.text("#EXTM3U\n#EXT-X-ENDLIST\n"), at: "stream") { $0.contentType = "text/plain" }
        _ = try await store.complete(ReadRequest(url: url))
        #expect(try await kind(of: PlaybackRoute.find(for: url, in: store, server: CountingProvider())) == "server")
        await store.close()
    }
}
