/// A table of the open resources by key, which also provides exclusive access to keys.
final class ResourceTable: Sendable {
    /// The maximum number of confirmations remembered for closed resources.
    private static let confirmationCapacity = 1 << 14
    /// The number of open resources beyond which idle ones are closed, least recently used first.
    private static let idleCapacity = 2048
    /// The growth factor that triggers the next search for idle resources, which is slow, because it visits all.
    private static let scanGrowthFactor = 1.25

    private struct State {
        var open: [String: Resource] = [:]
        /// The tasks waiting for exclusive access, by key. A key has an entry only while a task has exclusive access to
        /// it.
        var busy: [String: [CheckedContinuation<Void, Never>]] = [:]
        /// The last confirmations of closed resources, by key.
        var confirmed: [String: (version: Int64, moments: ConfirmationMoments)] = [:]
        /// The number of open resources after the last search for idle ones.
        var openCount = 0
    }

    private let state = OrderedMutex(.table, State())

    /// The open resource with a key; nil if there is none or it has been retired.
    subscript(key: String) -> Resource? {
        let resource = state.withLock { $0.open[key] }
        return resource?.isRetired == true ? nil : resource
    }

    var all: [Resource] { state.withLock { Array($0.open.values) } }

    func insert(_ resource: Resource) {
        state.withLock { $0.open[resource.key] = resource }
    }

    /// Removes a retired resource.
    func remove(_ resource: Resource) {
        let wasRegistered = state.withLock { state in
            guard state.open[resource.key] === resource else { return false }
            state.open[resource.key] = nil
            state.openCount = min(state.openCount, state.open.count)
            if state.confirmed.count >= Self.confirmationCapacity { state.confirmed.removeAll() }
            state.confirmed[resource.key] = resource.confirmation
            return true
        }
        if wasRegistered { resource.releaseRepresentations() }
    }

    /// Removes and returns the confirmation of a closed resource.
    func confirmation(key: String) -> (version: Int64, moments: ConfirmationMoments)? {
        state.withLock { $0.confirmed.removeValue(forKey: key) }
    }

    /// Retires and removes all resources when the store closes, because they form reference cycles.
    func removeAll() {
        for resource in all {
            resource.state.withLock { $0.isRetired = true }
            remove(resource)
        }
    }

    /// Runs `body` with exclusive access to distinct keys in ascending order, which prevents deadlocks. Loading,
    /// removal and eviction exclude each other.
    func withExclusiveAccess<Result: Sendable>(
        to keys: [String], _ body: @Sendable () async throws -> Result
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

    /// Closes idle resources if too many are open.
    func closeIdle() {
        let isDue = state.withLock { state in
            state.open.count > max(Self.idleCapacity, Int(Double(state.openCount) * Self.scanGrowthFactor))
        }
        guard isDue else { return }
        let all = all
        let candidates = all.sorted { $0.stored.useOrder < $1.stored.useOrder }
        for resource in candidates.prefix(all.count - Self.idleCapacity / 2) where resource.retire() {
            remove(resource)
        }
        state.withLock { $0.openCount = $0.open.count }
    }
}
