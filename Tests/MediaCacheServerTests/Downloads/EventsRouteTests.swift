import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import Synchronization
import Testing

@testable import MediaCacheServer

/// Tests of `/api/v1/events`, read by the API's client and as raw bytes.
@Suite(.timeLimit(.minutes(30)))
struct EventsRouteTests {
    private let origin = ScriptedOrigin()
    private let film: ResourceURL
    private let folder = TestFolder()

    init() throws {
        film = try ResourceURL("http://origin.example/film.mp4")
        origin[film] = ScriptedResource(.random(seed: 3, length: 300_000))
    }

    @Test func sendsDownloadEvents() async throws {
        try await CacheHost.use(origin: origin) { host in
            let client = try host.client()
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let seen = Mutex<[EventRecord]>([])
            let listening = Task {
                try await client.events { record in
                    seen.withLock { $0.append(record) }
                    start.yield()
                }
            }
            // The first event shows that the feed is open. Adding the same asset again sends the same events.
            var isOpen = false
            while !isOpen {
                try Task.checkCancellation()
                let id = try await host.download(#"{"url":"\#(film)"}"#).id
                #expect(try await host.call("DELETE", "/api/v1/downloads/\(id)").status == 204)
                isOpen = seen.withLock { !$0.isEmpty }
            }
            let id = try await host.download(#"{"url":"\#(film)"}"#).id
            for await _ in started
            where seen.withLock({ $0.contains { $0.asset == id && $0.state == .complete } }) { break }
            let own = seen.withLock { $0.filter { $0.asset == id } }
            #expect(own.contains { $0.event == .assetAdded })
            // Events of the library may arrive before or after those of the download.
            #expect(own.first { $0.event != .assetAdded && $0.event != .assetChanged }?.event == .downloadAdded)
            #expect(own.contains { $0.event == .downloadState && $0.state == .running })
            #expect(own.contains { $0.event == .partDone && $0.bytes == 300_000 })
            listening.cancel()
            _ = try? await listening.value
        }
    }

    @Test func endsFeedWithServer() async throws {
        try await CacheHost.use(origin: origin) { host in
            let address = try #require(host.server.boundAddresses.first)
            let client = try await LoopbackClient(to: address)
            let server = host.server
            let stopping = OnceTask()
            let request =
                "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(host.key.value)\r\n\r\n"
            let bytes = try await client.receiveAll(after: request) { _ in
                stopping.start { await server.stop(grace: .seconds(60)) }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 200 "))
            #expect(text.lowercased().contains("content-type: text/event-stream\r\n"))
            #expect(text.contains("retry: 1000\n\n") && text.hasSuffix("0\r\n\r\n"))
            await stopping.finish()
        }
    }

    /// The feed ends when the key is replaced, but not after a failure, since the old key remains valid.
    @Test func keepsFeedIfKeyCannotBeReplaced() async throws {
        let other = try ResourceURL("http://origin.example/other.mp4")
        origin[other] = ScriptedResource(.random(seed: 4, length: 1000))
        try await CacheHost.use(folder: folder.path, origin: origin) { host in
            let client = try host.client()
            let (records, received) = AsyncStream.makeStream(of: EventRecord.self)
            let isOpen = Mutex(false)
            let listening = Task {
                defer { received.finish() }
                try await client.events { record in
                    isOpen.withLock { $0 = true }
                    received.yield(record)
                }
            }
            // The first event shows that the feed is open.
            while !isOpen.withLock({ $0 }) {
                try Task.checkCancellation()
                let id = try await host.download(#"{"url":"\#(film)"}"#).id
                #expect(try await host.call("DELETE", "/api/v1/downloads/\(id)").status == 204)
            }
            // Replacing a folder by renaming a file fails, even for root.
            let key = "\(folder.path)/key"
            try FileManager.default.removeItem(atPath: key)
            try FileManager.default.createDirectory(atPath: key, withIntermediateDirectories: true)
            await #expect(throws: CacheError.self) { try await host.server.rollKey() }
            let id = try await host.download(#"{"url":"\#(other)"}"#).id
            var hasReceived = false
            for await record in records where record.asset == id {
                hasReceived = true
                break
            }
            #expect(hasReceived)
            try FileManager.default.removeItem(atPath: key)
            _ = try await host.server.rollKey()
            _ = try? await listening.value
        }
    }

    /// A replaced catalog doesn't mean that the folder can't be written.
    @Test func reportsReplacedCatalogAsItsOwnEvent() throws {
        let record = try #require(EventRecord(CacheEvent.catalogReplaced(path: "/cache/catalog.sqlite.damaged-1")))
        #expect(record.event == .catalogReplaced)
        #expect(record.message?.contains("/cache/catalog.sqlite.damaged-1") == true)
        let failure = EventRecord(CacheEvent.storageFailed(CacheError(.storage, "the disk is full")))
        #expect(failure?.event == .storageFailed)
    }

    @Test func requiresKey() async throws {
        try await CacheHost.use(origin: origin) { host in
            let keyless = try await host.exchange("GET", "/api/v1/events")
            let head = try await host.call("HEAD", "/api/v1/events")
            let posted = try await host.call("POST", "/api/v1/events")
            #expect(keyless.status == 401 && posted.status == 405)
            #expect(head.fields["content-type"] == "text/event-stream")
        }
    }

    /// A client that reads nothing uses limited memory, and later receives the number of dropped events.
    @Test func countsDroppedEvents() async throws {
        let store = try await CacheStore.open(
            CacheConfiguration(location: CacheLocation(folder: folder.path)), origin: origin)
        let hub = EventHub<EventFeed.Item> { .event(EventRecord(dropped: $0)) }
        let feed = EventFeed(
            hub: hub, assetStore: AssetStore(of: store), downloads: nil, recordings: nil, store: store
        ) {}
        for _ in 0..<600 { hub.send(.event(EventRecord(.resourceChanged, resource: "r"))) }
        var texts = feed.text().makeAsyncIterator()
        var count = 0
        for _ in 0..<513 {
            let text = String(decoding: try #require(try await texts.next()), as: UTF8.self)
            if text.contains("resource.changed") { count += 1 }
        }
        #expect(count == 512)
        hub.send(.heartbeat)
        let last = String(decoding: try #require(try await texts.next()), as: UTF8.self)
        #expect(last.contains("event: dropped") && last.contains("\"count\":88"), "\(last)")
        hub.finish()
        await store.close()
    }
}
