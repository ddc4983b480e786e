import Synchronization

/// A distributor of events to subscribers, each with a bounded stream.
package final class EventHub<Event: Sendable>: Sendable {
    private struct Listener {
        let id: Int
        var continuation: AsyncStream<Event>.Continuation
        let isWanted: @Sendable (Event) -> Bool
        var dropped = 0
    }

    private struct State {
        var nextID = 0
        /// An array rather than a dictionary, because every cached read iterates over it.
        var listeners: [Listener] = []
        var lastProgress: [String: Duration] = [:]
        var isClosed = false

        /// Returns the subscribers to an event and resets their counts of dropped events, which the caller reports.
        mutating func takeListeners(to event: Event) -> [Listener] {
            var matching: [Listener] = []
            for index in listeners.indices where listeners[index].isWanted(event) {
                matching.append(listeners[index])
                listeners[index].dropped = 0
            }
            return matching
        }

        /// Removes a listener, and returns it so that it's released outside the lock.
        mutating func remove(_ id: Int) -> Listener? {
            listeners.firstIndex { $0.id == id }.map { listeners.remove(at: $0) }
        }
    }

    private static var capacity: Int { 512 }
    private static var progressInterval: Duration { .milliseconds(250) }

    private let dropped: (@Sendable (Int) -> Event)?
    private let state = Mutex(State())

    /// Creates a hub. `dropped` creates the event that reports how many events didn't fit into a subscriber's buffer.
    /// If it's nil, slow subscribers receive only the newest event.
    package init(dropped: (@Sendable (Int) -> Event)? = nil) {
        self.dropped = dropped
    }

    /// Returns a stream of future events, which is empty after ``close()``.
    ///
    /// - Parameter isWanted: Returns whether to send an event to the subscriber. Called under a lock.
    package func stream(where isWanted: @escaping @Sendable (Event) -> Bool = { _ in true }) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: dropped == nil ? .bufferingNewest(1) : .bufferingOldest(Self.capacity))
        let id = state.withLock { state -> Int? in
            guard !state.isClosed else { return nil }
            state.nextID += 1
            state.listeners.append(Listener(id: state.nextID, continuation: continuation, isWanted: isWanted))
            return state.nextID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.remove(id) }
        }
        return stream
    }

    package func send(_ event: Event) {
        // Outside the lock, because a subscriber may acquire other locks when it's resumed or cancelled.
        for listener in state.withLock({ $0.takeListeners(to: event) }) {
            let continuation = listener.continuation
            if let dropped, listener.dropped > 0 {
                guard case .enqueued = continuation.yield(dropped(listener.dropped)) else {
                    note(listener.dropped + 1, lostBy: listener.id)
                    continue
                }
            }
            if case .dropped = continuation.yield(event), dropped != nil { note(1, lostBy: listener.id) }
        }
    }

    private func note(_ count: Int, lostBy id: Int) {
        state.withLock { state in
            guard let index = state.listeners.firstIndex(where: { $0.id == id }) else { return }
            state.listeners[index].dropped += count
        }
    }

    /// Sends a progress event unless the previous one for the key was sent recently. Always sends a final one.
    package func sendProgress(key: String, now: Duration, isFinal: Bool, _ progress: () -> Event) {
        let isDue = state.withLock { state in
            guard !state.listeners.isEmpty else { return false }
            if !isFinal, let last = state.lastProgress[key], now - last < Self.progressInterval { return false }
            state.lastProgress[key] = isFinal ? nil : now
            if state.lastProgress.count > Self.capacity {
                state.lastProgress = state.lastProgress.filter { now - $0.value < Self.progressInterval }
            }
            return true
        }
        if isDue { send(progress()) }
    }

    /// Ends all current streams. Streams created afterwards receive events.
    package func finish() {
        for listener in state.withLock({ exchange(&$0.listeners, with: []) }) { listener.continuation.finish() }
    }

    /// Ends all streams, including later ones.
    package func close() {
        state.withLock { $0.isClosed = true }
        finish()
    }
}
