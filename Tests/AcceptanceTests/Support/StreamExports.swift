import Foundation

/// The streams of the corpora as files, exported once per run: by `export --fetch` from their origin, and by `export`
/// once that is gone.
actor StreamExports {
    static let shared = StreamExports()

    /// What was made.
    struct Made: Sendable {
        /// The files, by the names that streams give them.
        var folder: TemporaryFolder
        /// The same from a cache whose origin is gone.
        var again: TemporaryFolder
    }

    private var made: Task<Made, any Error>?

    /// All files are there afterwards.
    func make() async throws -> Made {
        let task = made ?? Task { try await Self.make() }
        made = task
        return try await task.value
    }

    private static func make() async throws -> Made {
        let made = Made(folder: try TemporaryFolder("exports"), again: try TemporaryFolder("exports"))
        let cache = try TemporaryFolder("cache")
        let origin = try await NginxOrigin(serving: StreamCorpus.root)
        let server = try await RunningServer(cache: cache.path)
        let streams = try ExportedStream.all()
        let export = { @Sendable (stream: ExportedStream, folder: TemporaryFolder, options: [String]) in
            try await MediaCacheBinary.output(
                ["export", origin.url(stream.playlist).absoluteString, "-o", folder.file(stream.file), "-q"]
                    + ["--cache", cache.path] + options)
        }
        _ = try await sideBySide(streams) { try await export($0, made.folder, ["--fetch"]) }
        origin.stop()
        _ = try await sideBySide(streams) { try await export($0, made.again, []) }
        try await server.stop()
        return made
    }
}
