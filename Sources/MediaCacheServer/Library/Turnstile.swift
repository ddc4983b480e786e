import MediaCache

/// Lets a few in at a time; the others wait in order.
actor Turnstile {
    private let mostAtOnce: Int
    private let mostWaiting: Int
    private var running = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(mostAtOnce: Int, mostWaiting: Int = .max) {
        self.mostAtOnce = mostAtOnce
        self.mostWaiting = mostWaiting
    }

    /// Does `work` when it's its turn.
    ///
    /// - Throws: what `work` throws; `CancellationError`; `CacheError` with `closed` where too many wait.
    nonisolated func pass<Result: Sendable>(
        _ work: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await enter()
        do {
            // Who has gone meanwhile is let in, and leaves at once.
            try Task.checkCancellation()
            let result = try await work()
            await leave()
            return result
        } catch {
            await leave()
            throw error
        }
    }

    private func enter() async throws {
        guard running >= mostAtOnce else {
            running += 1
            return
        }
        guard waiting.count < mostWaiting else {
            throw CacheError(.closed, "too many wait for the same; try again later")
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// The place goes to the first who waits.
    private func leave() {
        if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() }
    }
}
