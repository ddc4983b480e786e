import Foundation

/// Runs blocking work on a separate thread, so that 64 readers don't starve the cooperative pool.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}

/// Returns the first value of `condition` other than nil. After `limit`, throws an error with `expectation`.
func eventually<T>(
    _ expectation: String,
    within limit: Duration = .seconds(30),
    every interval: Duration = .milliseconds(10),
    _ condition: () async throws -> T?
) async throws -> T {
    let deadline = ContinuousClock.now + limit
    while true {
        if let value = try await condition() { return value }
        guard ContinuousClock.now < deadline else { throw HarnessError("timed out after \(limit): \(expectation)") }
        try await Task.sleep(for: interval)
    }
}

extension Duration {
    var milliseconds: Double { self / .milliseconds(1) }
}

/// Calls `body` for each of `items`, at most `width` at once. Returns the results in the order of the items.
func concurrently<Item: Sendable, Result: Sendable>(
    _ items: [Item], width: Int = 4, _ body: @escaping @Sendable (Item) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        var results = [Result?](repeating: nil, count: items.count)
        for (index, item) in items.enumerated() {
            if index >= width, let (done, result) = try await group.next() { results[done] = result }
            group.addTask { (index, try await body(item)) }
        }
        for try await (done, result) in group { results[done] = result }
        return results.compactMap(\.self)
    }
}
