import Synchronization

/// A gate that responses wait at until the test opens it. Once open, it stays open.
public final class ScriptedGate: Sendable {
    fileprivate struct State {
        var isOpen = false
        var arrivals = 0
        var nextID = 0
        var callbacks: [Int: @Sendable () -> Void] = [:]
        var watchers: [Int: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
    }

    private let state = Mutex(State())

    /// Creates a closed gate.
    public init() {}

    /// Whether the gate is open.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// How many responses have come to the gate while it was closed.
    public var arrivals: Int { state.withLock { $0.arrivals } }

    /// The number of responses that wait at the gate at present.
    public var waiting: Int { state.withLock { $0.callbacks.count } }

    /// Opens the gate and lets all go on that wait at it.
    public func open() {
        let callbacks = state.withLock { state in
            state.isOpen = true
            defer { state.callbacks = [:] }
            return state.callbacks.sorted { $0.key < $1.key }.map(\.value)
        }
        for callback in callbacks { callback() }
    }

    /// Returns when at least `count` responses have come to the closed gate, or the task is cancelled.
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

    /// Calls `callback` once, when the gate opens: at once if it's open.
    ///
    /// - Returns: what ``forget(_:)`` takes, or nil if `callback` has been called.
    func whenOpen(_ callback: @escaping @Sendable () -> Void) -> Int? {
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

    /// Takes a callback back.
    func forget(_ id: Int?) {
        guard let id else { return }
        _ = state.withLock { $0.callbacks.removeValue(forKey: id) }
    }
}

extension ScriptedGate.State {
    fileprivate mutating func takeID() -> Int {
        nextID += 1
        return nextID
    }
}
