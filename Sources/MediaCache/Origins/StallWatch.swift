import Synchronization

/// Cancels a body that gives too little while it's being waited for: not only silence, also a trickle.
///
/// One timer per body, not one per buffer: a fast transfer doesn't notice it.
final class StallWatch: Sendable {
    /// Fewer bytes than this within the limit count as none.
    static let minimumBytes = 1024

    private struct State {
        var awaitedSince: Duration?
        var awaited: Duration = .zero
        var bytes = 0
        var hasFired = false
        var timer: Task<Void, Never>?
    }

    private let body: any OriginBody
    private let limit: Duration
    private let time: any TimeSource
    private let state = Mutex(State())

    init(body: any OriginBody, limit: Duration, time: any TimeSource) {
        self.body = body
        self.limit = limit
        self.time = time
    }

    /// Whether the body was cancelled for giving too little.
    var hasFired: Bool { state.withLock { $0.hasFired } }

    func start() {
        let timer = Task { [weak self, time, limit] in
            while !Task.isCancelled {
                do { try await time.sleep(for: limit / 4) } catch { return }
                guard let self, self.check() else { return }
            }
        }
        state.withLock { $0.timer = timer }
    }

    func stop() {
        state.withLock { $0.timer?.cancel() }
    }

    /// Only time during which someone waits for the origin counts.
    func isAwaited(_ isAwaited: Bool) {
        let now = time.monotonic
        state.withLock { state in
            if let since = state.awaitedSince { state.awaited += now - since }
            state.awaitedSince = isAwaited ? now : nil
        }
    }

    func received(_ count: Int) {
        state.withLock { state in
            state.bytes += count
            if state.bytes >= Self.minimumBytes {
                state.bytes = 0
                state.awaited = .zero
                state.awaitedSince = state.awaitedSince.map { _ in time.monotonic }
            }
        }
    }

    /// Returns false once there is nothing more to watch.
    private func check() -> Bool {
        let now = time.monotonic
        let isStalled = state.withLock { state in
            let awaited = state.awaited + (state.awaitedSince.map { now - $0 } ?? .zero)
            guard awaited >= limit, state.awaitedSince != nil else { return false }
            state.hasFired = true
            return true
        }
        if isStalled { body.cancel() }
        return !isStalled
    }
}
