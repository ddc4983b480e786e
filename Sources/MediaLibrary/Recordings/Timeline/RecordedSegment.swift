package import HLS
package import MediaCache

/// A media segment in a recording's timeline: when it was, what became of it, and what playing it needs.
package struct RecordedSegment: Sendable, Hashable {
    /// What became of it.
    package enum State: UInt8, Sendable, Hashable {
        /// It has been seen in a playlist, and is being fetched.
        case awaited
        /// It's here.
        case kept
        /// It was lost, or never was (EXT-X-GAP, RFC 8216bis §4.4.4.7).
        case gap
    }

    /// Its place among all segments that its track ever had, and its media sequence number (§4.4.3.2) in every playlist.
    /// It's never given again.
    package var number: Int64
    /// When it begins: nanoseconds since 1970-01-01T00:00:00Z. Never before the end of the one before.
    package var start: Int64
    /// How long it lasts in nanoseconds, as its playlist says.
    package var duration: Int64
    /// How far ``duration`` reaches beyond the start of the next segment, in nanoseconds: durations that are rounded up
    /// don't delay the segments behind them.
    package var overrun: Int64 = 0
    /// When it was published, by the recorder's clock: nanoseconds since 1970, in whole milliseconds. Retention counts
    /// from then. Nil for segments recorded before this was stored.
    package var arrival: Int64?
    /// How far the track's clock was behind the arrival of segments when it was last dated, in nanoseconds, in whole
    /// milliseconds; 0 for a track that never was. Nil where the playlist has a date, and for segments recorded before this
    /// was stored.
    package var clockLag: Int64?
    /// The target duration that its playlist had, in seconds.
    package var targetDuration: Int
    /// What became of it.
    package var state: State
    /// Whether a discontinuity stands before it (§4.4.4.3).
    package var isDiscontinuous = false
    /// How many discontinuities there are up to it by its origin's count (§4.4.3.3). Nil for a gap that was never seen, and
    /// for segments recorded before this was stored.
    package var originDiscontinuity: Int64?
    /// Whether its playlist says that it starts with an independent frame (EXT-X-INDEPENDENT-SEGMENTS, §4.4.2.1).
    package var isIndependent = false
    /// Whether its origin has put something around it, which players mustn't get.
    package var isWrapped = false
    /// How many bytes it has; 0 unless it's kept.
    package var length: Int64 = 0
    /// How many bytes at its front hold its first picture, where that can be decoded by itself; else 0.
    package var firstPicture: Int64 = 0
    /// The media sequence number that it had at its origin.
    package var originSequence = 0
    /// Where it came from; empty for a gap that nobody has a URL of.
    package var url = ""
    /// The scope of the playlist that named the URL, and those of its conditions; nil in pages of earlier versions.
    package var scope: AddressScope?
    /// Its bytes, where it isn't the whole resource.
    package var range: Range<Int64>?
    /// What its file is called behind its number, as `ts`.
    package var ending = "ts"
    /// The key and the media initialization section that it needs.
    package var conditions = RecordedConditions()
    /// Other tags before it that mean something here, as they were written.
    package var tags: [String] = []

    /// When it's over: at the start of the next segment at the latest.
    package var end: Int64 { start.clampedSum(duration - overrun) }

    /// Whether any of it lies in one of these stretches of time, in nanoseconds since 1970.
    func overlaps(_ ranges: [Range<Int64>]) -> Bool {
        ranges.contains { start < $0.upperBound && end > $0.lowerBound }
    }

    /// When it arrived, for its age: as far as that isn't known, when it ends.
    var arrived: Int64 { arrival ?? end }

    /// The least target duration that a playlist with it may have, in seconds (§4.4.3.1).
    var leastTarget: Int { max(1, targetDuration, Int((duration + 500_000_000) / 1_000_000_000)) }

    /// Its name within its track's folder.
    package var name: String { String(number) + "." + ending }

    /// Whether any of its bytes may be here: of one that was lost some may have come.
    var hasMedia: Bool { state != .gap || !url.isEmpty }
}

/// What is in force at a media segment: keys and a media initialization section, in the form that plays from here.
package struct RecordedConditions: Sendable, Hashable {
    /// A key or a media initialization section that several segments need.
    package struct Companion: Sendable, Hashable {
        /// Its place among all companions that its track ever had.
        package var number: Int64
        /// What it is.
        package var role: AssetPart.Role
        /// Where it came from.
        package var url: String
        /// Its bytes, where it isn't the whole resource.
        package var range: Range<Int64>?
        /// Its name within its track's folder.
        package var name: String
    }

    /// EXT-X-KEY (RFC 8216bis §4.4.4.4), with local names and with vectors.
    package var keys: [EncryptionKey] = []
    /// EXT-X-MAP (§4.4.4.5), with a local name.
    package var map: MediaInitializationSection?
    /// What of these lies in the recording.
    package var companions: [Companion] = []
}
