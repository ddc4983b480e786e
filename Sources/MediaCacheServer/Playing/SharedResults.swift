import Synchronization

/// What takes long to find out, by name: found once for all who ask meanwhile, and remembered within bounds.
final class SharedResults<Value: Sendable>: Sendable {
    private struct State {
        var known: [String: Value] = [:]
        var cost: Int64 = 0
        var running: [String: Task<Value, any Error>] = [:]
    }

    private let largestCost: Int64
    private let most: Int
    private let cost: @Sendable (Value) -> Int64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - most: how many are remembered.
    ///   - largestCost: what they may cost together; then all are forgotten.
    ///   - cost: what one costs.
    init(most: Int, largestCost: Int64, cost: @escaping @Sendable (Value) -> Int64) {
        self.most = most
        self.largestCost = largestCost
        self.cost = cost
    }

    /// What is known under `name`, or what `find` finds.
    func value(for name: String, _ find: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let found = state.withLock { state -> (value: Value?, task: Task<Value, any Error>?) in
            if let known = state.known[name] { return (known, nil) }
            if let running = state.running[name] { return (nil, running) }
            let task = Task { try await find() }
            state.running[name] = task
            return (nil, task)
        }
        if let value = found.value { return value }
        guard let task = found.task else { throw CancellationError() }
        let result = await task.result
        state.withLock { state in
            guard state.running.removeValue(forKey: name) != nil, case .success(let value) = result else { return }
            remember(value, name, in: &state)
        }
        return try result.get()
    }

    /// Forgets what is known under `name`.
    func forget(_ name: String) {
        state.withLock { state in
            guard let value = state.known.removeValue(forKey: name) else { return }
            state.cost -= cost(value)
        }
    }

    private func remember(_ value: Value, _ name: String, in state: inout State) {
        let cost = cost(value)
        if state.cost + cost > largestCost || state.known.count >= most {
            state.known = [:]
            state.cost = 0
        }
        state.known[name] = value
        state.cost += cost
    }
}
