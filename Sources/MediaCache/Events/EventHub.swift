import Synchronization

/// Hands events to every listener; each has a bounded stream of its own.
package final class EventHub<Event: Sendable>: Sendable {
    private struct Listener {
        let id: Int
        var continuation: AsyncStream<Event>.Continuation
        let isWanted: @Sendable (Event) -> Bool
        var dropped = 0
    }

    private struct State {
        var nextID = 0
        /// In no order that matters. An array, since every cached read looks at all of them.
        var listeners: [Listener] = []
        var lastProgress: [String: Duration] = [:]

        /// Those who want an event, with what each is to be told to have lost; who takes them tells it.
        mutating func takeListeners(to event: Event) -> [Listener] {
            var taken: [Listener] = []
            for index in listeners.indices where listeners[index].isWanted(event) {
                taken.append(listeners[index])
                listeners[index].dropped = 0
            }
            return taken
        }

        /// Removes a listener, and returns it so that it's released outside the lock.
        mutating func remove(_ id: Int) -> Listener? {
            listeners.firstIndex { $0.id == id }.map { listeners.remove(at: $0) }
        }
    }

    private static var capacity: Int { 512 }
    private static var progressInterval: Duration { .milliseconds(250) }

    /// Says that so many events were dropped; nil where only the newest counts.
    private let dropped: (@Sendable (Int) -> Event)?
    private let state = Mutex(State())

    /// A hub whose listeners get every event, or are told how many they lost.
    package init(dropped: @escaping @Sendable (Int) -> Event) {
        self.dropped = dropped
    }

    /// A hub of states: a listener that is slow gets the newest.
    package init() {
        dropped = nil
    }

    /// What happens from now on.
    ///
    /// - Parameter isWanted: what the listener is woken for; it's called with a lock held.
    package func stream(where isWanted: @escaping @Sendable (Event) -> Bool = { _ in true }) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: dropped == nil ? .bufferingNewest(1) : .bufferingOldest(Self.capacity))
        let id = state.withLock { state in
            state.nextID += 1
            state.listeners.append(Listener(id: state.nextID, continuation: continuation, isWanted: isWanted))
            return state.nextID
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.remove(id) }
        }
        return stream
    }

    package func send(_ event: Event) {
        // Outside the lock: who is woken has locks of its own, and one that is being cancelled comes here with them held.
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

    /// Sends progress unless this key's last was a moment ago and this isn't the last word.
    package func sendProgress(
        key: String, now: Duration, isFinal: Bool, _ progress: () -> Event
    ) {
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

    package func finish() {
        let listeners = state.withLock { state in
            defer { state.listeners = [] }
            return state.listeners
        }
        for listener in listeners { listener.continuation.finish() }
    }
}
