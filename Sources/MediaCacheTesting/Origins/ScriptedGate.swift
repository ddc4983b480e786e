import MediaCache
import Synchronization

/// A gate at which responses wait until a test opens it. It can't be closed again.
public final class ScriptedGate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var nextID = 0
        var callbacks: [Int: @Sendable () -> Void] = [:]
        var watchers: [Int: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]

        mutating func takeID() -> Int {
            nextID += 1
            return nextID
        }
    }

    private let state = Mutex(State())

    /// Creates a closed gate.
    public init() {}

    /// Whether the gate is open.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// The number of responses that have reached the closed gate.
    public var arrivals: Int { state.withLock { $0.arrivals } }

    /// The number of responses currently waiting at the gate.
    public var waiting: Int { state.withLock { $0.callbacks.count } }

    /// Opens the gate and resumes all waiting responses.
    public func open() {
        let callbacks = state.withLock { state in
            state.isOpen = true
            defer { state.callbacks = [:] }
            return state.callbacks.sorted { $0.key < $1.key }.map(\.value)
        }
        for callback in callbacks { callback() }
    }

    /// Waits until at least `count` responses have reached the closed gate, or the task is cancelled.
    public func waitForArrivals(_ count: Int = 1) async {
        let id = state.withLock { $0.takeID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReached = state.withLock { state in
                    if state.arrivals >= count || Task.isCancelled { return true }
                    state.watchers[id] = (count, continuation)
                    return false
                }
                if isReached { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.watchers.removeValue(forKey: id) }?.continuation.resume()
        }
    }

    /// Counts an arrival, calls `callback` when the gate opens, and returns the callback's identifier. If the gate is
    /// already open, calls `callback` immediately, counts no arrival, and returns nil.
    func onOpen(_ callback: @escaping @Sendable () -> Void) -> Int? {
        let (id, reached) = state.withLock { state -> (Int?, [CheckedContinuation<Void, Never>]) in
            if state.isOpen { return (nil, []) }
            let id = state.takeID()
            state.callbacks[id] = callback
            state.arrivals += 1
            let reached = state.watchers.filter { $0.value.count <= state.arrivals }
            for watcher in reached.keys { state.watchers[watcher] = nil }
            return (id, reached.map(\.value.continuation))
        }
        for continuation in reached { continuation.resume() }
        if id == nil { callback() }
        return id
    }

    func removeCallback(_ id: Int?) {
        guard let id else { return }
        _ = state.withLock { $0.callbacks.removeValue(forKey: id) }
    }
}

/// A wait at a gate that can also end by cancellation or by a time limit.
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
        let id = gate.onOpen { self.end(.opened) }
        let timer = time.map { time in
            Task {
                guard (try? await time.sleep(for: limit)) != nil else { return }
                self.end(.timedOut)
            }
        }
        defer {
            gate.removeCallback(id)
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
