/// A playlist of the corpora that is exported, and what the file has to hold.
struct ExportedStream {
    /// Times that ffprobe tells of the stream itself, and that aren't its own.
    struct Correction {
        /// The first packet of each stream that it concerns, of how many in all.
        var first: (Int) -> Int
        /// What is added to its times and to those of all behind it, in seconds.
        var seconds: Double
    }

    /// The playlist's path.
    var playlist: String
    /// The media playlists that are played at once: itself, or what a player takes of a multivariant playlist.
    var parts: [String]

    /// The file it is exported to.
    var file: String { playlist.split(separator: "/").joined(separator: "-") + ".mp4" }

    /// What can't be exported, by path, and why: nothing of it is left out unsaid.
    static let unplayable = [
        "shaka-player/hls-muxed-mp4-ts/mp4.m3u8": "its segment, 000000000.m4s, isn't in the corpora",
        "shaka-player/hls-muxed-mp4-ts/master.m3u8": "the best of its variant streams is that one",
        "shaka-player/hls-text-no-discontinuity/text.m3u8": "subtitles alone, with neither pictures nor sound",
    ]

    /// What a player takes of each multivariant playlist.
    private static let best = [
        "shaka-player/hls-chapters/index.m3u8": ["media.m3u8"],
        "shaka-player/hls-multivideo/master.m3u8": ["red_1.m3u8", "original_128k.m3u8"],
        "shaka-player/hls-raw-aac/manifest.m3u8": ["stream.m4a.m3u8"],
        "shaka-player/hls-text-no-discontinuity/index.m3u8": ["av.m3u8"],
        "shaka-player/hls-ts-muxed-aac-h264/playlist.m3u8": ["chunk.m3u8"],
        "shaka-player/hls-ts-raw-aac/index.m3u8": ["playlist.m3u8"],
    ]

    /// All playlists of `shaka-player/hls-*` but those, and the HLS stream of `androidx-media`.
    static func all() throws -> [ExportedStream] {
        try StreamCorpus.playlists().filter { unplayable[$0] == nil }.map { path in
            let folder = path.split(separator: "/").dropLast().joined(separator: "/")
            return ExportedStream(playlist: path, parts: best[path]?.map { "\(folder)/\($0)" } ?? [path])
        }
    }

    /// Those, but for multivariant playlists that come down to one media playlist.
    static func distinct() throws -> [ExportedStream] {
        try all().filter { $0.parts.count > 1 || $0.parts == [$0.playlist] }
    }

    /// Where ffprobe's times of the stream itself are wrong, and what is right.
    var correction: Correction? {
        switch parts[0] {
        // The second segment's clock begins again at the first's, unannounced. ffprobe shows both at once; in a file the
        // second follows where the first's pictures end.
        case "shaka-player/hls-text-no-discontinuity/av.m3u8": Correction(first: { $0 / 2 }, seconds: 6)
        // Each segment's tag tells when its first frame begins. ffprobe takes what the second's tells for the last frame of
        // the first (number 187), and so comes one frame of 32 ms later from there on.
        case "shaka-player/hls-raw-ac3/prog_index.m3u8": Correction(first: { _ in 186 }, seconds: -0.032)
        default: nil
        }
    }
}
