import MediaCache
import MediaLibrary

/// Opens a window of one track as a media playlist.
struct TrackOpener: ReaderOpener {
    let live: LiveChannel
    let track: String
    let window: WindowRequest
    /// Whether the window was granted when its entry was asked for.
    let isGranted: Bool

    var name: String { "\(live.path)/\(track)" }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        let bytes = try await live.translating {
            try await live.recording.playlist(
                window, track: track, isGranted: isGranted, isStrict: live.isStrict)
        }
        return try MemoryReader(playlist: bytes, name: name)
    }
}

extension MemoryReader {
    /// A playlist that may be another one soon: whole, since players would put parts of two together.
    ///
    /// - Parameter windowStart: when the window begins, in nanoseconds since 1970; nil where that isn't fixed.
    convenience init(playlist bytes: [UInt8], name: String, windowStart: Int64? = nil) throws {
        try self.init(
            bytes, contentType: "application/vnd.apple.mpegurl", range: .all, name: name, acceptsRanges: false,
            windowStart: windowStart)
    }
}
