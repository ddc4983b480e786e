import Foundation
import MediaCache
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaCacheAVFoundation

/// What's complete comes from its file, streams from a server, all else from the app.
struct PlaybackRouteTests {
    private static let body = ScriptedBody.random(seed: 711, length: 200_000)

    /// A server that only gives URLs.
    private final class NamedServer: LocalURLProvider {
        let kept = Mutex(0)

        func localURL(for url: ResourceURL) async throws -> LocalURL {
            kept.withLock { $0 += 1 }
            return LocalURL("http://127.0.0.1:1\(url.target)") { [weak self] in self?.kept.withLock { $0 -= 1 } }
        }
    }

    @Test func aFilmIsAskedForUntilItIsComplete() async throws {
        let fixture = PlayerFixture()
        let store = try await fixture.open()
        let url = try fixture.serve(Self.body)
        guard case .loader = try await PlaybackRoute.find(for: url, in: store, server: nil) else {
            Issue.record("nothing of it is here")
            return
        }
        _ = try await store.fill(ReadRequest(url: url, range: .closed(0, through: 999)))
        guard case .loader = try await PlaybackRoute.find(for: url, in: store, server: nil) else {
            Issue.record("not all of it is here")
            return
        }
        _ = try await store.complete(ReadRequest(url: url))
        guard case .file(let file) = try await PlaybackRoute.find(for: url, in: store, server: nil) else {
            Issue.record("all of it is here")
            return
        }
        #expect(file.path.hasSuffix(".mp4"))
        let data = try #require(FileManager.default.contents(atPath: file.path))
        #expect(Self.body.matches(Array(data)) && data.count == 200_000)
        await store.close()
    }

    @Test(arguments: ["live/index.m3u8", "list.M3U8?token=1", "radio.m3u"])
    func aStreamNeedsAServer(name: String) async throws {
        let fixture = PlayerFixture()
        let store = try await fixture.open()
        let url = try ResourceURL("https://origin.example/\(name)")
        await #expect { try await PlaybackRoute.find(for: url, in: store, server: nil) } throws: { error in
            (error as? CacheError)?.code == .invalidSetting
        }
        let server = NamedServer()
        var route: PlaybackRoute? = try await PlaybackRoute.find(for: url, in: store, server: server)
        guard case .server(let local) = route else {
            Issue.record("it isn't played through the server")
            return
        }
        #expect(local.text == "http://127.0.0.1:1\(url.target)")
        withExtendedLifetime(local) { #expect(server.kept.withLock { $0 } == 1) }
        route = nil
        await store.close()
    }

    /// Where neither its name nor what is kept tells, its first bytes do.
    @Test func aStreamIsKnownByItsFirstBytes() async throws {
        let fixture = PlayerFixture()
        let store = try await fixture.open()
        let url = try fixture.serve(.text("#EXTM3U\n#EXT-X-ENDLIST\n"), at: "play?id=1") {
            $0.contentType = "text/plain"
        }
        guard case .server = try await PlaybackRoute.find(for: url, in: store, server: NamedServer()) else {
            Issue.record("it isn't known as a stream")
            return
        }
        let gone = try ResourceURL("https://origin.example/gone")
        guard case .loader = try await PlaybackRoute.find(for: gone, in: store, server: NamedServer()) else {
            Issue.record("what can't be had now isn't a stream")
            return
        }
        await store.close()
    }

    /// What a URL is called doesn't tell; what is kept does.
    @Test func aStreamIsKnownByWhatIsKept() async throws {
        let fixture = PlayerFixture()
        let store = try await fixture.open()
        let url = try fixture.serve(.text("#EXTM3U\n#EXT-X-ENDLIST\n"), at: "stream") { $0.contentType = "text/plain" }
        _ = try await store.complete(ReadRequest(url: url))
        guard case .server = try await PlaybackRoute.find(for: url, in: store, server: NamedServer()) else {
            Issue.record("it isn't known as a stream")
            return
        }
        await store.close()
    }
}
