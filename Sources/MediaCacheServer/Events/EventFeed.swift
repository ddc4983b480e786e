import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary
import Synchronization

/// The event feed of one client: events of the store, library, downloads and recordings in one bounded stream of
/// server-sent events (WHATWG HTML §9.2). It ends when the server stops, the key is replaced or its reader goes away.
final class EventFeed: Sendable {
    enum Item: Sendable {
        case event(EventRecord)
        /// A comment that keeps proxies from closing an idle connection.
        case heartbeat
    }

    private static let heartbeatInterval = Duration.seconds(15)

    private let items: AsyncStream<Item>
    /// The number of buffers returned so far.
    private let position = Mutex(0)
    private let tasks: [Task<Void, Never>]
    private let onEnd: @Sendable () -> Void

    /// - Parameters:
    ///   - hub: The hub that bounds the feed's queue and ends the feed.
    ///   - onEnd: Called when the feed no longer has a reader.
    init(
        hub: EventHub<Item>, assetStore: AssetStore, downloads: Downloads?, recordings: Recordings?, store: CacheStore,
        onEnd: @escaping @Sendable () -> Void
    ) {
        self.onEnd = onEnd
        items = hub.stream()
        let (time, storeEvents, downloadEvents) = (store.time, store.events(), downloads?.events())
        let (assetEvents, recordingEvents) = (assetStore.events(), recordings?.events())
        tasks = [
            Task {
                for await event in storeEvents {
                    if let record = EventRecord(event) { hub.send(.event(record)) }
                }
            },
            Task {
                for await event in assetEvents { hub.send(.event(EventRecord(event))) }
            },
            Task {
                guard let downloadEvents else { return }
                for await event in downloadEvents { hub.send(.event(EventRecord(event))) }
            },
            Task {
                guard let recordingEvents else { return }
                for await event in recordingEvents { hub.send(.event(EventRecord(event))) }
            },
            Task {
                while (try? await time.sleep(for: Self.heartbeatInterval)) != nil { hub.send(.heartbeat) }
            },
        ]
    }

    deinit {
        for task in tasks { task.cancel() }
        onEnd()
    }

    /// Returns the feed's text: a preamble, then a buffer for each item, encoded on demand. The stream keeps the feed
    /// alive.
    func text() -> AsyncThrowingStream<[UInt8], any Error> { AsyncThrowingStream { try await self.nextText() } }

    private func nextText() async throws -> [UInt8]? {
        let number = position.withLock { position in
            defer { position += 1 }
            return position
        }
        // The first buffer is sent immediately, so that the client sees the response.
        guard number > 0 else { return Array(": events\nretry: 1000\n\n".utf8) }
        var iterator = items.makeAsyncIterator()
        return try await iterator.next().map { try Self.text($0, number) }
    }

    private static func text(_ item: Item, _ number: Int) throws -> [UInt8] {
        switch item {
        case .heartbeat: return Array(":\n\n".utf8)
        case .event(let record):
            let data = try APICoding.makeEncoder().encode(record)
            return Array("id: \(number)\nevent: \(record.event.rawValue)\ndata: ".utf8) + data + Array("\n\n".utf8)
        }
    }
}

/// The open event feeds.
final class EventFeeds: Sendable {
    private struct State {
        var next = 0
        var hubs: [Int: EventHub<EventFeed.Item>] = [:]
        var isStopped = false
    }

    /// The maximum number of open feeds. Each occupies a connection.
    private static let maximum = 64

    private let store: CacheStore
    private let assetStore: AssetStore
    private let downloads: Downloads?
    private let recordings: Recordings?
    private let state = Mutex(State())

    init(store: CacheStore, assetStore: AssetStore, downloads: Downloads?, recordings: Recordings?) {
        self.store = store
        self.assetStore = assetStore
        self.downloads = downloads
        self.recordings = recordings
    }

    /// Opens a feed that starts with the next event.
    ///
    /// - Throws: ``Problem`` at the limit of open feeds, and after ``stop()``.
    func open() throws -> EventFeed {
        let hub = EventHub<EventFeed.Item> { .event(EventRecord(dropped: $0)) }
        let number = try state.withLock { state in
            guard state.hubs.count < Self.maximum, !state.isStopped else { throw Problem.busy }
            state.next += 1
            state.hubs[state.next] = hub
            return state.next
        }
        return EventFeed(hub: hub, assetStore: assetStore, downloads: downloads, recordings: recordings, store: store) {
            [weak self] in
            self?.state.withLock { _ = $0.hubs.removeValue(forKey: number) }
        }
    }

    func start() { state.withLock { $0.isStopped = false } }

    /// Ends all feeds and refuses new ones.
    func stop() {
        state.withLock { $0.isStopped = true }
        endAll()
    }

    /// Ends all open feeds. After the key was replaced, clients need the new one to open others.
    func endAll() {
        for hub in state.withLock({ Array($0.hubs.values) }) { hub.finish() }
    }
}
