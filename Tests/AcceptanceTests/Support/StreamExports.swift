import Foundation

/// The exported files of the streams of the corpora, created once per run: with `export --fetch` from the origin, and
/// with `export` after the origin has stopped.
actor StreamExports {
    static let shared = StreamExports()

    /// The folders of the exported files.
    struct Made: Sendable {
        /// The files exported with `--fetch`.
        var folder: TemporaryFolder
        /// The files exported from the cache without the origin.
        var again: TemporaryFolder
    }

    private var made: Task<Made, any Error>?

    /// Creates all files unless they exist.
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
