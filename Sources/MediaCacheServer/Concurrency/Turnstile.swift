import MediaCacheAPI
import Synchronization

/// A limit of concurrent operations. Further ones wait in order.
final class Turnstile: Sendable {
    private struct State {
        var running = 0
        var nextID = 0
        /// The waiting operations, first one first.
        var waiting: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    private let mostAtOnce: Int
    private let mostWaiting: Int
    private let state = Mutex(State())

    init(mostAtOnce: Int, mostWaiting: Int = .max) {
        self.mostAtOnce = mostAtOnce
        self.mostWaiting = mostWaiting
    }

    /// Runs `work` when a place is free.
    ///
    /// - Throws: the errors of `work`; `CancellationError`; ``Problem`` if too many operations wait.
    func pass<Result: Sendable>(_ work: @Sendable () async throws -> Result) async throws -> Result {
        try await enter()
        defer { leave() }
        try Task.checkCancellation()
        return try await work()
    }

    private func enter() async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.running < mostAtOnce {
                        state.running += 1
                        return .success(())
                    }
                    guard state.waiting.count < mostWaiting else { return .failure(Problem.busy) }
                    state.waiting.append((id, continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let cancelled = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
            }
            cancelled?.resume(throwing: CancellationError())
        }
    }

    /// Passes the place on to the first waiting operation.
    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.running -= 1
            return nil
        }
        next?.resume()
    }
}
