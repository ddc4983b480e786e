import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import MediaCacheServer

/// Tests of a server through the life cycle of an app.
@Suite(.timeLimit(.minutes(30)))
struct EmbeddedServerTests {
    private let origin: ScriptedOrigin
    private let time = ManualTime()
    private let folder = TestFolder()
    private let url: ResourceURL
    private let media = [UInt8]((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws {
        origin = ScriptedOrigin(time: time)
        url = try ResourceURL("http://origin.example/film.mp4")
        origin[url] = ScriptedResource(.bytes(media))
    }

    private func withServer(_ body: (EmbeddedServer, CacheStore) async throws -> Void) async throws {
        var configuration = CacheConfiguration(location: CacheLocation(folder: folder.path))
        configuration.transfers.retries.budget = 0
        let store = try await CacheStore.open(
            configuration, origin: origin, time: time, files: POSIXFileSystem(), logger: .silent)
        let server = EmbeddedServer(
            store: store,
            configuration: ServerConfiguration(port: try await Self.freePort(), runsDownloads: false, logger: .silent))
        do {
            try await body(server, store)
        } catch {
            Issue.record(error)
        }
        await server.end()
        await store.close()
    }

    private static let nextPort = Atomic(Int.random(in: 10_000..<20_000))

    /// Returns a port outside the system's ephemeral range, so that it isn't assigned to another process. Each call
    /// returns another port, because tests run in parallel.
    private static func freePort() async throws -> Int {
        while true {
            let port = nextPort.add(1, ordering: .relaxed).oldValue
            guard let channel = try? await listen(at: port) else { continue }
            try await channel.close()
            return port
        }
    }

    private static func listen(at port: Int) async throws -> any NIOCore.Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: port).get()
    }

    /// Requests a URL as a player does. Returns nil if the server isn't listening.
    private func get(_ url: LocalURL) async throws -> RawResponse? {
        let rest = url.text.dropFirst("http://".count)
        let start = try #require(rest.firstIndex(of: "/"))
        do {
            return try await LoopbackClient.exchange(
                "http://\(rest[..<start])",
                "GET \(rest[start...]) HTTP/1.1\r\nHost: \(rest[..<start])\r\nConnection: close\r\n\r\n")
        } catch is NIOConnectionError {
            return nil
        } catch is IOError {
            return nil
        }
    }

    @Test func startsListeningForFirstURL() async throws {
        try await withServer { server, _ in
            #expect(await server.listeningPort == nil)
            let local = try await server.localURL(for: url)
            #expect(local.text.hasPrefix("http://127.0.0.1:\(try #require(await server.listeningPort))/play/"))
            #expect(local.text.hasSuffix("/http/origin.example/film.mp4"))
            #expect(try await get(local)?.body == media)
        }
    }

    @Test func returnsURLOfAsset() async throws {
        try await withServer { server, store in
            let downloads = Downloads(
                store: store, assetStore: AssetStore(of: store), loader: PlaylistLoader(store: store))
            try await downloads.start()
            let asset = try await downloads.add(DownloadRequest(url: url))
            #expect(await downloads.ended(asset.id)?.asset.download?.state == .complete)
            origin.always(url, .unreachable)
            let local = try await server.localURL(of: asset.id)
            let response = try #require(try await get(local))
            #expect(response.status == 200 && response.body == media)
            await downloads.stop()
        }
    }

    @Test func handlesConcurrentRequestsForURLs() async throws {
        try await withServer { server, _ in
            let texts = try await withThrowingTaskGroup(of: LocalURL.self) { tasks in
                for _ in 0..<20 { tasks.addTask { try await server.localURL(for: url) } }
                return try await tasks.reduce(into: Set<String>()) { $0.insert($1.text) }
            }
            #expect(texts.count == 1)
        }
    }

    @Test func keepsURLsAcrossSuspension() async throws {
        try await withServer { server, store in
            let local = try await server.localURL(for: url)
            #expect(try await get(local)?.status == 200)
            await server.suspend()
            #expect(await server.listeningPort == nil)
            #expect(try await get(local) == nil)
            await #expect { try await server.localURL(for: url) } throws: { ($0 as? ServerError)?.code == .wrongState }
            await #expect { try await store.resources() } throws: { ($0 as? CacheError)?.code == .closed }
            try await server.resume()
            #expect(try await get(local)?.body == media)
            // A repeated call has no effect.
            try await server.resume()
            #expect(try await server.localURL(for: url).text == local.text)
        }
    }

    @Test func reportsNewPort() async throws {
        try await withServer { server, _ in
            let local = try await server.localURL(for: url)
            let port = try #require(await server.listeningPort)
            var changes = server.portChanges().makeAsyncIterator()
            await server.suspend()
            let otherListener = try await Self.listen(at: port)
            try await server.resume()
            let next = try #require(await server.listeningPort)
            #expect(next != port)
            #expect(await changes.next() == next)
            #expect(try await get(try await server.localURL(for: url))?.body == media)
            try await otherListener.close()
            withExtendedLifetime(local) {}
        }
    }

    @Test func stopsListeningOneMinuteAfterLastURL() async throws {
        try await withServer { server, _ in
            var first: LocalURL? = try await server.localURL(for: url)
            let text = first?.text
            first = nil
            while await server.heldURLs > 0 { await Task.yield() }
            time.advance(by: .seconds(30))
            // The minute starts again when another URL is released.
            var second: LocalURL? = try await server.localURL(for: url)
            withExtendedLifetime(second) {}
            time.advance(by: .seconds(29))
            second = nil
            while await server.heldURLs > 0 { await Task.yield() }
            time.advance(by: .seconds(59))
            for _ in 0..<100 { await Task.yield() }
            #expect(await server.listeningPort != nil)
            time.advance(by: .seconds(1))
            while await server.listeningPort != nil { await Task.yield() }
            // A later URL uses the same port if it is still free.
            #expect(try await server.localURL(for: url).text == text)
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test func refusesURLsWhenStopped() async throws {
        try await withServer { server, store in
            let local = try await server.localURL(for: url)
            await server.end()
            #expect(try await get(local) == nil)
            await #expect { try await server.localURL(for: url) } throws: { ($0 as? ServerError)?.code == .wrongState }
            try await server.resume()
            #expect(await server.listeningPort == nil)
            // The store remains open.
            #expect(try await store.resources().isEmpty)
        }
    }
}
