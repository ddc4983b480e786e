import MediaCache
import Synchronization

/// A cache of results by name. Concurrent callers share one computation, which is cancelled when all of them are
/// cancelled.
final class SharedResults<Value: Sendable>: Sendable {
    private struct State {
        var results: [String: Value] = [:]
        var cost: Int64 = 0
        var running: [String: SharedRequest<Value>] = [:]
    }

    private let maximumCost: Int64
    private let maximumCount: Int
    private let cost: @Sendable (Value) -> Int64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - maximumCount: The maximum number of results. When it would be exceeded, all earlier results are removed.
    ///   - maximumCost: The maximum total cost. When it would be exceeded, all earlier results are removed. A single
    ///     result above it isn't cached.
    init(maximumCount: Int, maximumCost: Int64, cost: @escaping @Sendable (Value) -> Int64) {
        self.maximumCount = maximumCount
        self.maximumCost = maximumCost
        self.cost = cost
    }

    /// Returns the cached result of a name, or the result of `find`.
    ///
    /// - Throws: The errors of `find`; `CancellationError`.
    func value(for name: String, _ find: @escaping @Sendable () async throws -> Value) async throws -> Value {
        while true {
            let (cached, run) = state.withLock { state -> (Value?, SharedRequest<Value>?) in
                if let cached = state.results[name] { return (cached, nil) }
                let run = state.running[name] ?? SharedRequest(find)
                state.running[name] = run
                return (nil, run)
            }
            if let cached { return cached }
            let result: Result<Value?, any Error>
            do { result = .success(try await run?.wait()) } catch { result = .failure(error) }
            state.withLock { state in
                // A cancelled caller leaves the computation to the others.
                guard let run, run.isOver, state.running[name] === run else { return }
                state.running[name] = nil
                if case .success(let value?) = result { remember(value, name, in: &state) }
            }
            // No value: the computation was cancelled with its last caller just before this call joined it.
            if let value = try result.get() { return value }
        }
    }

    /// Removes the cached result of a name. The result of a running computation isn't cached, since it may be based on
    /// the same outdated data.
    func forget(_ name: String) {
        state.withLock { state in
            state.running[name] = nil
            guard let value = state.results.removeValue(forKey: name) else { return }
            state.cost -= cost(value)
        }
    }

    private func remember(_ value: Value, _ name: String, in state: inout State) {
        let cost = cost(value)
        guard cost <= maximumCost else { return }
        if state.cost + cost > maximumCost || state.results.count >= maximumCount {
            state.results = [:]
            state.cost = 0
        }
        state.results[name] = value
        state.cost += cost
    }
}
