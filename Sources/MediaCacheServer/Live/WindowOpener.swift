import Foundation
import MediaCache
import MediaLibrary

/// Opens what a player is given for a window.
struct WindowOpener: ReaderOpener {
    let live: LiveChannel
    let window: WindowRequest
    /// Whether it's for its pictures alone.
    let isPictures: Bool

    var name: String { "\(LiveRoute.prefix)\(live.name)" }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        if isPictures {
            let bytes = try await live.translating { try await live.recording.pictures(window) }
            return try MemoryReader(playlist: bytes, name: name)
        }
        let text = try await live.translating { try await live.recording.entry(window) }
        return try MemoryReader(playlist: Array(text.utf8), name: name)
    }
}

/// Opens a window of one track as a media playlist.
struct TrackOpener: ReaderOpener {
    let live: LiveChannel
    let track: String
    let window: WindowRequest
    /// Whether the window was granted when its entry was asked for.
    let isGranted: Bool

    var name: String { "\(LiveRoute.prefix)\(live.name)/\(track)" }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        let bytes = try await live.translating {
            try await live.recording.playlist(window, track: track, isGranted: isGranted)
        }
        return try MemoryReader(playlist: bytes, name: name)
    }
}

extension MemoryReader {
    /// A playlist that may be another one soon: whole, since players would put parts of two together.
    convenience init(playlist bytes: [UInt8], name: String) throws {
        try self.init(
            bytes, contentType: "application/vnd.apple.mpegurl", range: .all, name: name, acceptsRanges: false)
    }
}

/// Opens a picture of a moment.
struct MomentOpener: ReaderOpener {
    let live: LiveChannel
    /// Nanoseconds since 1970.
    let time: Int64
    let frames: FrameQueue
    let base: @Sendable (ChannelName) throws -> String

    var name: String { "a picture of \(live.name)" }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        let (track, row, offset) = try await live.translating { try await live.recording.moment(time) }
        let url = try base(live.name) + "\(track)/span-\(row.start)-\(row.end).m3u8"
        var cover = try await frames.frame(of: url, at: offset)
        // Behind the segment's last picture.
        if cover == nil { cover = try await frames.frame(of: url, at: 0) }
        guard let cover else { throw CacheError(.notFound, "\(live.name) has no picture of that moment") }
        return try MemoryReader(cover, range: range, name: name, acceptsRanges: false)
    }
}
