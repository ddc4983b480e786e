import Synchronization

/// A cache of results by name. Concurrent callers share one computation, which is cancelled when the last of them is
/// cancelled.
final class SharedResults<Value: Sendable>: Sendable {
    private struct Run {
        var task: Task<Value, any Error>
        var waiting: Int
        /// The ID that distinguishes it from a later run of the same name.
        var id: Int
    }

    private struct State {
        var results: [String: Value] = [:]
        var cost: Int64 = 0
        var running: [String: Run] = [:]
        var nextID = 0
    }

    private let largestCost: Int64
    private let most: Int
    private let cost: @Sendable (Value) -> Int64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - most: the maximum number of results. At the limit, all are forgotten.
    ///   - largestCost: the maximum total cost. At the limit, all are forgotten; a result that exceeds it alone isn't cached.
    ///   - cost: returns the cost of a result.
    init(most: Int, largestCost: Int64, cost: @escaping @Sendable (Value) -> Int64) {
        self.most = most
        self.largestCost = largestCost
        self.cost = cost
    }

    /// Returns the cached result of a name, or the result of `find`.
    ///
    /// - Throws: the errors of `find`; `CancellationError`.
    func value(for name: String, _ find: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let (cached, run) = state.withLock { state -> (Value?, Run?) in
            if let cached = state.results[name] { return (cached, nil) }
            var run = state.running[name] ?? Run(task: Task { try await find() }, waiting: 0, id: state.nextID)
            state.nextID += 1
            run.waiting += 1
            state.running[name] = run
            return (nil, run)
        }
        if let cached { return cached }
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

    /// Removes the cached result of a name.
    func forget(_ name: String) {
        state.withLock { state in
            guard let value = state.results.removeValue(forKey: name) else { return }
            state.cost -= cost(value)
        }
    }

    /// Handles the cancellation of a caller.
    private func leave(_ name: String, _ id: Int) {
        let task = state.withLock { state -> Task<Value, any Error>? in
            guard let run = state.running[name], run.id == id else { return nil }
            state.running[name]?.waiting -= 1
            guard run.waiting == 1 else { return nil }
            // A later caller starts a new run.
            state.running[name] = nil
            return run.task
        }
        task?.cancel()
    }

    private func remember(_ value: Value, _ name: String, in state: inout State) {
        let cost = cost(value)
        guard cost <= largestCost else { return }
        if state.cost + cost > largestCost || state.results.count >= most {
            state.results = [:]
            state.cost = 0
        }
        state.results[name] = value
        state.cost += cost
    }
}
