import Synchronization

/// The resources that are open, by key, and who works on a key alone at this moment.
final class ResourceTable: Sendable {
    /// The most confirmations that are remembered of resources that were closed.
    private static let confirmationCapacity = 1 << 14
    /// Open resources beyond this are closed when idle, the least recently used first.
    private static let idleCapacity = 2048
    /// Where most are in use, the next look comes when so many times as many are open: each looks at all of them.
    private static let lookFactor = 1.25

    private struct State {
        var open: [String: Resource] = [:]
        var busy: [String: [CheckedContinuation<Void, Never>]] = [:]
        /// Of resources that were closed, by key: what their origin confirmed last.
        var confirmed: [String: Confirmation] = [:]
        /// How many were open after the last look for idle ones.
        var leftOpen = 0
    }

    private let state = OrderedMutex(.table, State())

    /// The open resource under `key`. One that has been retired is no longer its place.
    subscript(key: String) -> Resource? {
        let resource = state.withLock { $0.open[key] }
        return resource?.isRetired == true ? nil : resource
    }

    var all: [Resource] { state.withLock { Array($0.open.values) } }

    func insert(_ resource: Resource) {
        state.withLock { $0.open[resource.key] = resource }
    }

    /// Takes a retired resource out.
    func remove(_ resource: Resource) {
        let wasHere = state.withLock { state in
            guard state.open[resource.key] === resource else { return false }
            state.open[resource.key] = nil
            state.leftOpen = min(state.leftOpen, state.open.count)
            if state.confirmed.count >= Self.confirmationCapacity { state.confirmed.removeAll() }
            state.confirmed[resource.key] = resource.confirmation
            return true
        }
        if wasHere { resource.dismantle() }
    }

    /// What was confirmed of a resource before it was closed.
    func confirmation(key: String) -> Confirmation? {
        state.withLock { $0.confirmed.removeValue(forKey: key) }
    }

    /// Lets all go at closing, also what a reader still holds or what couldn't be committed: they refer back here.
    func removeAll() {
        for resource in all {
            resource.close()
            remove(resource)
        }
    }

    /// Runs `body` while nobody else does for this key: loading, removing and evicting exclude each other.
    func alone<Result: Sendable>(
        with key: String, _ body: @Sendable () async throws -> Result
    ) async rethrows -> Result {
        await enter(key)
        defer { leave(key) }
        return try await body()
    }

    /// Runs `body` while nobody else does for any of these keys.
    ///
    /// - Parameter keys: in ascending order, each once, so that two who want some of the same never wait for each other.
    func alone<Result: Sendable>(
        with keys: [String], _ body: @Sendable () async throws -> Result
    ) async rethrows -> Result {
        for key in keys { await enter(key) }
        defer { for key in keys { leave(key) } }
        return try await body()
    }

    private func enter(_ key: String) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.busy[key] != nil {
                    state.busy[key]?.append(continuation)
                    return false
                }
                state.busy[key] = []
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave(_ key: String) {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard var queue = state.busy[key], !queue.isEmpty else {
                state.busy[key] = nil
                return nil
            }
            let next = queue.removeFirst()
            state.busy[key] = queue
            return next
        }
        next?.resume()
    }

    /// Closes idle resources where too many are open.
    func closeIdle() {
        let isDue = state.withLock { state in
            state.open.count > max(Self.idleCapacity, Int(Double(state.leftOpen) * Self.lookFactor))
        }
        guard isDue else { return }
        let all = all
        let candidates = all.sorted { $0.stored.useOrder < $1.stored.useOrder }
        for resource in candidates.prefix(all.count - Self.idleCapacity / 2) where resource.retire() {
            remove(resource)
        }
        state.withLock { $0.leftOpen = $0.open.count }
    }
}
