import MediaCache
import MediaCacheAPI
import MediaLibrary
import Synchronization

/// The event feeds that are read at the moment.
final class EventFeeds: Sendable {
    private struct State {
        var next = 0
        var hubs: [Int: EventHub<EventFeed.Item>] = [:]
        var isStopped = false
    }

    /// Feeds at once. Each holds a connection as long as its client likes.
    private static let maximum = 64

    private let store: CacheStore
    private let shelf: AssetShelf
    private let downloads: Downloads?
    private let recordings: Recordings?
    private let state = Mutex(State())

    init(store: CacheStore, shelf: AssetShelf, downloads: Downloads?, recordings: Recordings?) {
        self.store = store
        self.shelf = shelf
        self.downloads = downloads
        self.recordings = recordings
    }

    /// A feed of what happens from now on.
    ///
    /// - Throws: ``Problem`` where too many are read.
    func open() throws -> EventFeed {
        let hub = EventHub<EventFeed.Item> { .event(EventRecord(dropped: $0)) }
        let number = try state.withLock { state in
            guard state.hubs.count < Self.maximum, !state.isStopped else { throw Problem.busy }
            state.next += 1
            state.hubs[state.next] = hub
            return state.next
        }
        return EventFeed(hub: hub, shelf: shelf, downloads: downloads, recordings: recordings, store: store) {
            [weak self] in
            self?.state.withLock { _ = $0.hubs.removeValue(forKey: number) }
        }
    }

    /// Takes feeds again after ``stop()``.
    func start() { state.withLock { $0.isStopped = false } }

    /// Ends all feeds, and takes no more.
    func stop() {
        state.withLock { $0.isStopped = true }
        endAll()
    }

    /// Ends all feeds that are read: their clients need another secret for the next.
    func endAll() {
        for hub in state.withLock({ Array($0.hubs.values) }) { hub.finish() }
    }
}
