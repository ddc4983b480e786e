package import MediaContainers

/// The subtitles of one segment.
package struct SegmentCues: Sendable, Hashable {
    /// The segment.
    package var row: SegmentTable.Row
    /// Whether X-TIMESTAMP-MAP places the cues on the clock of the stream's other segments. Otherwise, their times count
    /// from the start of the stream, or of the segment.
    package var isOnMediaClock: Bool
    /// The cues with times in 90 kHz ticks. On the media clock, the times aren't unwrapped.
    package var cues: [WebVTTCue]

    /// The maximum total length in bytes of the segments of a call.
    private static let maximumLength = 4 << 20

    /// Reads the subtitles of segments.
    ///
    /// - Throws: `ContainerError`: `unsupported` if the segments are fragmented MP4; `encrypted` if one can't be
    ///   decrypted; `notThisFormat` if one isn't WebVTT; `limitExceeded`; the errors of the resources.
    package static func read(
        _ rows: some Sequence<SegmentTable.Row>, of table: SegmentTable, from resources: some StreamResources
    ) throws(ContainerError) -> [SegmentCues] {
        var reader = PartReader(resources)
        var found: [SegmentCues] = []
        var left = maximumLength
        for row in rows where !row.isGap {
            guard let part = try table.part(row.number) else { continue }
            if let obstacle = part.obstacle { throw ContainerError(.encrypted, obstacle) }
            guard part.section == nil else {
                throw ContainerError(.unsupported, "the subtitles are in MP4; only WebVTT segments are supported")
            }
            let bytes = try reader.bytes(of: part)
            let document = try WebVTTDocument(try bytes.bytes(0..<bytes.length, limit: left))
            left -= Int(bytes.length)
            let map = document.timestampMap.map { $0.transport - $0.local }
            let cues = document.cues.map { cue in
                var cue = cue
                cue.start += map ?? 0
                cue.end += map ?? 0
                return cue
            }
            found.append(SegmentCues(row: row, isOnMediaClock: map != nil, cues: cues))
        }
        return found
    }
}
