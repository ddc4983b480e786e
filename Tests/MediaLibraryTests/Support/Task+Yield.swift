extension Task where Success == Never, Failure == Never {
    /// Lets other tasks run. Throws `CancellationError` if the task was cancelled, as at a test's time limit. Without
    /// that, a loop that waits for a state would continue after the limit, and the test run would never end.
    static func yieldUnlessCancelled() async throws {
        try Task.checkCancellation()
        await Task.yield()
    }
}
