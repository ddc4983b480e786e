import MediaCache
import Synchronization

/// A wait at a gate that may also end by cancellation or by a limit; whatever comes first counts.
final class ScriptedWait: Sendable {
    enum Outcome {
        case opened
        case cancelled
        case timedOut
    }

    private struct State {
        var outcome: Outcome?
        var continuation: CheckedContinuation<Outcome, Never>?
    }

    private let state = Mutex(State())

    /// Waits until `gate` opens, ``end(_:)`` is called, the task is cancelled, or `limit` has passed on `time`.
    func run(gate: ScriptedGate, limit: Duration, time: (any TimeSource)?) async -> Outcome {
        let id = gate.whenOpen { self.end(.opened) }
        let timer = time.map { time in
            Task {
                guard (try? await time.sleep(for: limit)) != nil else { return }
                self.end(.timedOut)
            }
        }
        defer {
            gate.forget(id)
            timer?.cancel()
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.continuation = continuation }
                    return state.outcome
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            end(.cancelled)
        }
    }

    func end(_ outcome: Outcome) {
        let continuation = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: outcome)
    }
}
