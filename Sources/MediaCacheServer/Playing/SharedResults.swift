import Synchronization

/// What takes long to find out, by name: found once for all who ask meanwhile, and remembered within bounds. When the last
/// of those who ask has gone, finding out ends.
final class SharedResults<Value: Sendable>: Sendable {
    private struct Run {
        var task: Task<Value, any Error>
        var waiting: Int
        /// Tells it from a later one of the same name.
        var id: Int
    }

    private struct State {
        var known: [String: Value] = [:]
        var cost: Int64 = 0
        var running: [String: Run] = [:]
        var nextID = 0
    }

    private let largestCost: Int64
    private let most: Int
    private let cost: @Sendable (Value) -> Int64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - most: how many are remembered.
    ///   - largestCost: what they may cost together; then all are forgotten. What costs more alone isn't remembered.
    ///   - cost: what one costs.
    init(most: Int, largestCost: Int64, cost: @escaping @Sendable (Value) -> Int64) {
        self.most = most
        self.largestCost = largestCost
        self.cost = cost
    }

    /// What is known under `name`, or what `find` finds.
    ///
    /// - Throws: what `find` throws; `CancellationError`.
    func value(for name: String, _ find: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let (known, run) = state.withLock { state -> (Value?, Run?) in
            if let known = state.known[name] { return (known, nil) }
            var run = state.running[name] ?? Run(task: Task { try await find() }, waiting: 0, id: state.nextID)
            state.nextID += 1
            run.waiting += 1
            state.running[name] = run
            return (nil, run)
        }
        if let known { return known }
        guard let run else { throw CancellationError() }
        let result = await withTaskCancellationHandler {
            await run.task.result
        } onCancel: {
            leave(name, run.id)
        }
        state.withLock { state in
            guard state.running[name]?.id == run.id else { return }
            state.running[name] = nil
            if case .success(let value) = result { remember(value, name, in: &state) }
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

    /// One who asked has gone.
    private func leave(_ name: String, _ id: Int) {
        let task = state.withLock { state -> Task<Value, any Error>? in
            guard let run = state.running[name], run.id == id else { return nil }
            state.running[name]?.waiting -= 1
            guard run.waiting == 1 else { return nil }
            // Who asks now begins anew.
            state.running[name] = nil
            return run.task
        }
        task?.cancel()
    }

    private func remember(_ value: Value, _ name: String, in state: inout State) {
        let cost = cost(value)
        guard cost <= largestCost else { return }
        if state.cost + cost > largestCost || state.known.count >= most {
            state.known = [:]
            state.cost = 0
        }
        state.known[name] = value
        state.cost += cost
    }
}
