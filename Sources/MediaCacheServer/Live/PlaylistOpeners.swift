import MediaCache
import MediaLibrary

/// The opener of a window's multivariant playlist, or of its I-frame playlist.
struct WindowOpener: ReaderOpener {
    let live: LiveChannel
    let window: WindowRequest
    let isIFramePlaylist: Bool

    var name: String { live.path }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        if isIFramePlaylist {
            let bytes = try await live.recording.iFramePlaylist(window, isStrict: live.isStrict)
            return try MemoryReader(playlist: bytes, name: name)
        }
        let entry = try await live.recording.entry(window, isStrict: live.isStrict)
        return try MemoryReader(playlist: Array(entry.text.utf8), name: name, windowStart: entry.begins)
    }
}

/// The opener of the media playlist of a track's window.
struct TrackOpener: ReaderOpener {
    let live: LiveChannel
    let track: String
    let window: WindowRequest
    /// Whether the window was checked when its multivariant playlist was requested.
    let isGranted: Bool

    var name: String { "\(live.path)/\(track)" }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        let bytes = try await live.recording.playlist(
            window, track: track, isGranted: isGranted, isStrict: live.isStrict)
        return try MemoryReader(playlist: bytes, name: name)
    }
}

extension MemoryReader {
    /// Creates a reader of a playlist that may change soon. It doesn't support ranges, since players would combine
    /// parts of two versions.
    ///
    /// - Parameter windowStart: The start of the window, in nanoseconds since 1970; nil if it isn't fixed.
    convenience init(playlist bytes: [UInt8], name: String, windowStart: Int64? = nil) throws {
        try self.init(
            bytes, contentType: "application/vnd.apple.mpegurl", range: .all, name: name, acceptsRanges: false,
            windowStart: windowStart)
    }
}
