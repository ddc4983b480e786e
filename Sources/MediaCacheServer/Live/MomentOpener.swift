import MediaCache
import MediaLibrary

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
