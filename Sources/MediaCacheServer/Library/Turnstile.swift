import MediaCacheAPI
import Synchronization

/// Lets a few in at a time; the others wait in order.
final class Turnstile: Sendable {
    private struct State {
        var running = 0
        var nextID = 0
        /// In the order in which they came.
        var waiting: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    private let mostAtOnce: Int
    private let mostWaiting: Int
    private let state = Mutex(State())

    init(mostAtOnce: Int, mostWaiting: Int = .max) {
        self.mostAtOnce = mostAtOnce
        self.mostWaiting = mostWaiting
    }

    /// Does `work` when it's its turn.
    ///
    /// - Throws: what `work` throws; `CancellationError`; ``Problem`` where too many wait.
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
                let answer = state.withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.running < mostAtOnce {
                        state.running += 1
                        return .success(())
                    }
                    guard state.waiting.count < mostWaiting else { return .failure(Problem.busy) }
                    state.waiting.append((id, continuation))
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            let gone = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
            }
            gone?.resume(throwing: CancellationError())
        }
    }

    /// The place goes to the first who waits.
    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.running -= 1
            return nil
        }
        next?.resume()
    }
}
