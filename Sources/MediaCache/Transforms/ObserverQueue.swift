import Synchronization

/// What waits to be shown to an observer: so much, and no more.
final class ObserverQueue: Sendable {
    private static let capacity = 4 << 20

    private struct State {
        var waiting: [ObservedBytes] = []
        var byteCount = 0
        var missed: Int64 = 0
        var isShowing = false
    }

    let observer: ContentObserver
    private let state = Mutex(State())

    init(_ observer: ContentObserver) {
        self.observer = observer
    }

    /// Takes bytes in, to be shown later; or leaves them out.
    func offer(_ bytes: ObservedBytes) {
        let starts = state.withLock { state in
            guard state.byteCount + bytes.range.count <= Self.capacity else {
                state.missed += Int64(bytes.range.count)
                return false
            }
            var bytes = bytes
            bytes.missed = state.missed
            state.missed = 0
            state.waiting.append(bytes)
            state.byteCount += bytes.range.count
            defer { state.isShowing = true }
            return !state.isShowing
        }
        if starts { Task { await show() } }
    }

    private func show() async {
        while let bytes = next() { await observer.observe(bytes) }
    }

    private func next() -> ObservedBytes? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isShowing = false
                return nil
            }
            let bytes = state.waiting.removeFirst()
            state.byteCount -= bytes.range.count
            return bytes
        }
    }
}
