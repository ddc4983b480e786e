import Synchronization

/// Hands events to every listener; each has a bounded stream of its own.
package final class EventHub: Sendable {
    private struct Listener {
        var continuation: AsyncStream<CacheEvent>.Continuation
        var dropped = 0
    }

    private struct State {
        var nextID = 0
        var listeners: [Int: Listener] = [:]
        var lastProgress: [String: Duration] = [:]
    }

    private static let capacity = 512
    private static let progressInterval = Duration.milliseconds(250)

    private let state = Mutex(State())

    package init() {}

    package func stream() -> AsyncStream<CacheEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CacheEvent.self, bufferingPolicy: .bufferingOldest(Self.capacity))
        let id = state.withLock { state in
            state.nextID += 1
            state.listeners[state.nextID] = Listener(continuation: continuation)
            return state.nextID
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    package func send(_ event: CacheEvent) {
        state.withLock { state in
            for id in state.listeners.keys { Self.deliver(event, to: &state.listeners[id]) }
        }
    }

    /// Sends progress unless this key's last was a moment ago and this isn't the last word.
    package func sendProgress(
        key: String, now: Duration, isFinal: Bool, _ progress: () -> CacheEvent.Progress
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
        if isDue { send(.progress(progress())) }
    }

    package func finish() {
        let listeners = state.withLock { state in
            defer { state.listeners = [:] }
            return state.listeners
        }
        for listener in listeners.values { listener.continuation.finish() }
    }

    private static func deliver(_ event: CacheEvent, to listener: inout Listener?) {
        guard let current = listener else { return }
        if current.dropped > 0 {
            guard case .enqueued(let room) = current.continuation.yield(.dropped(count: current.dropped)) else {
                listener?.dropped += 1
                return
            }
            listener?.dropped = room > 0 ? 0 : 1
            if room == 0 { return }
        }
        if case .dropped = current.continuation.yield(event) { listener?.dropped += 1 }
    }
}
