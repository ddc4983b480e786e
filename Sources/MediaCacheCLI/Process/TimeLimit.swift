/// Work that may take so long and no longer.
enum TimeLimit {
    /// Does `body`, and cancels it when its time is over.
    ///
    /// - Returns: nil if it wasn't done by then.
    static func run<Result: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result? {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
