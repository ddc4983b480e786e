import MediaCacheAPI

/// The process that owned the cache folder ended while it worked for this one.
struct OwnerEnded: Error {
    /// How often another owner is looked for.
    private static let attempts = 3

    /// Does `body` over a connection; where the folder's owner ends meanwhile, again with the next one, which may be this
    /// process. What came is kept, so that nothing is done twice.
    ///
    /// - Throws: ``CommandFailure`` if owners keep ending, and what `body` and the opening throw.
    static func surviving<Result: Sendable>(
        _ settings: HostSettings, _ body: @Sendable (Connection) async throws -> Result
    ) async throws -> Result {
        for _ in 0..<attempts {
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
        throw CommandFailure(.partial, "the cache folder's owner keeps changing; the same command goes on from here")
    }
}
