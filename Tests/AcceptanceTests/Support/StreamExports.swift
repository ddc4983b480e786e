import Foundation

/// The files exported from the streams of the corpora, created once per run: with `export --fetch` from the origin, and
/// with `export` after the origin has stopped.
actor StreamExports {
    static let shared = StreamExports()

    struct ExportFolders: Sendable {
        /// The files exported with `--fetch`.
        var folder: TemporaryFolder
        /// The files exported from the cache without the origin.
        var again: TemporaryFolder
    }

    private var made: Task<ExportFolders, any Error>?

    func make() async throws -> ExportFolders {
        let task = made ?? Task { try await Self.make() }
        made = task
        return try await task.value
    }

    private static func make() async throws -> ExportFolders {
        let made = ExportFolders(folder: try TemporaryFolder("exports"), again: try TemporaryFolder("exports"))
        let cache = try TemporaryFolder("cache")
        let origin = try await NginxOrigin(serving: StreamCorpus.root)
        let server = try await RunningServer(cache: cache.path)
        let streams = try ExportedStream.all()
        let export = { @Sendable (stream: ExportedStream, folder: TemporaryFolder, options: [String]) in
            try await MediaCacheBinary.output(
                ["export", origin.url(stream.playlist).absoluteString, "-o", folder.file(stream.file), "-q"]
                    + ["--cache", cache.path] + options)
        }
        _ = try await concurrently(streams) { try await export($0, made.folder, ["--fetch"]) }
        origin.stop()
        _ = try await concurrently(streams) { try await export($0, made.again, []) }
        try await server.stop()
        return made
    }
}

/// A playlist of the corpora to export, with the expected content of the file.
struct ExportedStream {
    /// A correction of wrong times that ffprobe reports for a stream.
    struct Correction {
        /// Returns the index of the first affected packet, given the number of packets in the track.
        var first: (Int) -> Int
        /// The correction in seconds, for this packet and all later ones.
        var seconds: Double
    }

    var playlist: String
    /// The media playlists that are exported together: the playlist itself, or the selection from a multivariant
    /// playlist.
    var parts: [String]

    var file: String { playlist.split(separator: "/").joined(separator: "-") + ".mp4" }

    /// The playlists that can't be exported, with the reason.
    static let unplayable = [
        "shaka-player/hls-muxed-mp4-ts/mp4.m3u8": "its segment, 000000000.m4s, isn't in the corpora",
        "shaka-player/hls-muxed-mp4-ts/master.m3u8": "its best variant stream is that playlist",
        "shaka-player/hls-text-no-discontinuity/text.m3u8": "subtitles without video or audio",
    ]

    /// The selection from each multivariant playlist.
    private static let best = [
        "shaka-player/hls-chapters/index.m3u8": ["media.m3u8"],
        "shaka-player/hls-multivideo/master.m3u8": ["red_1.m3u8", "original_128k.m3u8"],
        "shaka-player/hls-raw-aac/manifest.m3u8": ["stream.m4a.m3u8"],
        "shaka-player/hls-text-no-discontinuity/index.m3u8": ["av.m3u8"],
        "shaka-player/hls-ts-muxed-aac-h264/playlist.m3u8": ["chunk.m3u8"],
        "shaka-player/hls-ts-raw-aac/index.m3u8": ["playlist.m3u8"],
    ]

    /// Returns all playlists of `shaka-player/hls-*` except the unplayable ones, and the HLS stream of
    /// `androidx-media`.
    static func all() throws -> [ExportedStream] {
        try StreamCorpus.playlists().filter { unplayable[$0] == nil }.map { path in
            let folder = path.split(separator: "/").dropLast().joined(separator: "/")
            return ExportedStream(playlist: path, parts: best[path]?.map { "\(folder)/\($0)" } ?? [path])
        }
    }

    /// Returns all playlists except multivariant ones from which a single media playlist is selected.
    static func distinct() throws -> [ExportedStream] {
        try all().filter { $0.parts.count > 1 || $0.parts == [$0.playlist] }
    }

    /// The correction of ffprobe's times; nil if they are right.
    var correction: Correction? {
        switch parts[0] {
        // The second segment's clock restarts without a discontinuity tag. ffprobe reports the same times for both
        // segments. In the file, the second segment follows the end of the first segment's video.
        case "shaka-player/hls-text-no-discontinuity/av.m3u8": Correction(first: { $0 / 2 }, seconds: 6)
        // Each segment's ID3 tag contains the time of its first frame. ffprobe applies the second tag to the last frame
        // of the first segment (number 187), so the times of this frame and all later ones are too high by one frame of
        // 32 ms.
        case "shaka-player/hls-raw-ac3/prog_index.m3u8": Correction(first: { _ in 186 }, seconds: -0.032)
        default: nil
        }
    }
}
