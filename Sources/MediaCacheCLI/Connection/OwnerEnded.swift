import MediaCacheAPI

/// The error thrown when the process that owns the cache folder ends during a command.
struct OwnerEnded: Error {
    /// Runs `body` with a connection. If the folder's owner ends, `body` runs again with the next owner, which may be
    /// this process. Cached data isn't fetched again.
    static func retryingOnOwnerExit<Result: Sendable>(
        _ settings: HostSettings, _ body: @Sendable (Connection) async throws -> Result
    ) async throws -> Result {
        for _ in 0..<3 {
            do {
                return try await Connection.use(settings, waits: false) { connection in
                    do {
                        return try await body(connection)
                    } catch APIClientError.unreachable where connection.owner != nil {
                        throw OwnerEnded()
                    }
                }
            } catch is OwnerEnded {
                continue
            }
        }
        throw CommandFailure(.partial, "the owner of the cache folder keeps changing; run the same command to resume")
    }
}
