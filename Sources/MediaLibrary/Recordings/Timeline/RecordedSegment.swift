package import HLS
package import MediaCache

/// A media segment in a recording's timeline.
package struct RecordedSegment: Sendable, Hashable {
    package enum State: UInt8, Sendable, Hashable {
        /// The segment was listed in a playlist, and is queued or being fetched.
        case awaited
        case stored
        /// The segment was lost or marked as a gap by the origin (EXT-X-GAP, RFC 8216bis §4.4.4.7).
        case gap
    }

    /// The consecutive number on the track, usually also the media sequence number (§4.4.3.2) in served playlists.
    /// Numbers are never reused.
    package var number: Int64
    /// The start in nanoseconds since 1970-01-01T00:00:00Z. It is never before the end of the previous segment.
    package var start: Int64
    /// The duration in nanoseconds, as stated by the playlist; estimated for a gap that was never seen.
    package var duration: Int64
    /// The time by which ``duration``, often rounded up, extends beyond the start of the next segment, in nanoseconds.
    package var overrun: Int64 = 0
    /// The time of publication by the recorder's clock, which determines the age, in nanoseconds since 1970, truncated
    /// to milliseconds; nil in pages of earlier versions.
    package var arrival: Int64?
    /// The lag of the track's clock behind the arrival of segments when it was last dated, in nanoseconds, truncated to
    /// milliseconds; 0 for a track that never had dates. Nil for a segment with a date, for a gap that was never seen,
    /// and in pages of earlier versions.
    package var clockLag: Int64?
    /// The target duration of the playlist, in seconds.
    package var targetDuration: Int
    package var state: State
    /// Whether a discontinuity precedes the segment (§4.4.4.3).
    package var isDiscontinuous = false
    /// The number of discontinuities up to the segment by the origin's count (§4.4.3.3); nil for a gap that was never
    /// seen, and in pages of earlier versions.
    package var originDiscontinuity: Int64?
    /// Whether the playlist states that segments can be decoded independently (EXT-X-INDEPENDENT-SEGMENTS, §4.4.2.1).
    package var isIndependent = false
    /// Whether the origin wrapped the media in other bytes, which are removed for players.
    package var isWrapped = false
    /// The length in bytes; 0 unless the segment is cached.
    package var length: Int64 = 0
    /// The number of bytes up to the end of the first frame; 0 if it isn't known or the frame can't be decoded
    /// independently.
    package var firstFrameLength: Int64 = 0
    /// The media sequence number at the origin.
    package var originSequence = 0
    /// The URL at the origin; empty for a gap without a known URL.
    package var url = ""
    /// The address scope of the playlist, for all URLs of the segment; nil for a gap that was never seen, and in pages
    /// of earlier versions.
    package var scope: AddressScope?
    /// The byte range; nil for the whole resource.
    package var range: Range<Int64>?
    /// The file name suffix, for example `ts`.
    package var fileExtension = "ts"
    package var conditions = RecordedConditions()
    /// Other tags before the segment that are included in served playlists, as text.
    package var tags: [String] = []

    /// The end in nanoseconds since 1970, which is never after the start of the next segment.
    package var end: Int64 { start.clampedSum(duration - overrun) }

    /// Returns whether any part of the segment is in one of the time ranges, in nanoseconds since 1970.
    func overlaps(_ ranges: [Range<Int64>]) -> Bool { ranges.contains { start < $0.upperBound && end > $0.lowerBound } }

    /// The arrival time that determines the segment's age; its end if the arrival is unknown.
    var arrived: Int64 { arrival ?? end }

    /// The minimum target duration of a playlist with this segment, in seconds (§4.4.3.1).
    var minimumTargetDuration: Int { max(1, targetDuration, Int((duration + 500_000_000) / 1_000_000_000)) }

    /// The name within the track's folder.
    package var name: String { String(number) + "." + fileExtension }

    /// Whether any bytes may be cached. Lost segments may have partial bytes.
    var hasMedia: Bool { state != .gap || !url.isEmpty }
}

/// The keys and media initialization section that apply to a media segment, in the form served to players.
package struct RecordedConditions: Sendable, Hashable {
    /// A key or a media initialization section shared by several segments.
    package struct Companion: Sendable, Hashable {
        /// The position among all companions of the track.
        package var number: Int64
        package var role: AssetPart.Role
        package var url: String
        /// The byte range; nil for the whole resource.
        package var range: Range<Int64>?
        /// The name within the track's folder.
        package var name: String
    }

    /// The keys (EXT-X-KEY, RFC 8216bis §4.4.4.4), with local names, and explicit initialization vectors if needed.
    package var keys: [EncryptionKey] = []
    /// The media initialization section (EXT-X-MAP, §4.4.4.5), with a local name.
    package var map: MediaInitializationSection?
    /// The keys and sections that the recording stores.
    package var companions: [Companion] = []
}
