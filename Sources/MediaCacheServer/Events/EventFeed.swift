import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary
import Synchronization

/// What happens, for one client: the events of downloads and of the store in one bounded stream, in the form of
/// server-sent events (WHATWG HTML, section 9.2). It ends with the server, and with who reads it.
final class EventFeed: Sendable {
    /// What is told.
    enum Item: Sendable {
        /// Something happened.
        case event(EventRecord)
        /// Nothing did for a while; proxies close connections that say nothing.
        case heartbeat
    }

    private static let heartbeatInterval = Duration.seconds(15)

    private let items: AsyncStream<Item>
    /// How many buffers have been made.
    private let position = Mutex(0)
    private let tasks: [Task<Void, Never>]
    private let onEnd: @Sendable () -> Void

    /// - Parameters:
    ///   - hub: what bounds what waits to be read, and ends the feed.
    ///   - onEnd: called when nobody reads it any more.
    init(
        hub: EventHub<Item>, shelf: AssetShelf, downloads: Downloads?, recordings: Recordings?, store: CacheStore,
        onEnd: @escaping @Sendable () -> Void
    ) {
        self.onEnd = onEnd
        items = hub.stream()
        let (time, ofStore, ofDownloads) = (store.time, store.events(), downloads?.events())
        let (ofShelf, ofRecordings) = (shelf.events(), recordings?.events())
        tasks = [
            Task {
                for await event in ofStore {
                    if let record = EventRecord(event) { hub.send(.event(record)) }
                }
            },
            Task {
                for await event in ofShelf { hub.send(.event(EventRecord(event))) }
            },
            Task {
                guard let ofDownloads else { return }
                for await event in ofDownloads { hub.send(.event(EventRecord(event))) }
            },
            Task {
                guard let ofRecordings else { return }
                for await event in ofRecordings { hub.send(.event(EventRecord(event))) }
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

    /// The feed's text, a buffer for each event; the next is made when the last has been taken. The feed lives as long as
    /// somebody can read on.
    func text() -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { try await self.nextText() }
    }

    private func nextText() async throws -> [UInt8]? {
        let number = position.withLock { position in
            defer { position += 1 }
            return position
        }
        // So that who asks sees at once that it's answered.
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
