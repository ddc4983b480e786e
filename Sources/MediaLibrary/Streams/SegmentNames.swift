import HLS

/// The times since which the names of one live stream have identified their segments. A name is a URL in a playlist.
struct SegmentNames: Sendable {
    private struct Name {
        var segment: LiveSegment
        var since: Duration
    }

    /// An addend in the limit on removed names; see ``forget(allBut:)``. An older view may list a removed name again.
    private static let spare = 1024
    /// The maximum number of segments by which a lagging cache may be behind.
    private static let maximumLag = 2

    /// The last playlist, and the times of its newest names.
    private var current: StreamIndex?
    private var moments: [Duration] = []
    /// Names removed from the playlist, by the hash of their URL.
    private var departed: [UInt64: Name] = [:]
    /// The time assumed for all other names: when the stream was first seen or restarted, or a name was last reused.
    private var defaultMoment = Duration.zero
    /// The media sequence numbers of the last playlist, and when it was received.
    private var last: (window: Range<Int>, moment: Duration)?

    /// Returns the time since which the URL with a hash has identified its segment; nil if the URL is unknown.
    func since(_ hash: UInt64) -> Duration? {
        name(hash)?.since ?? (current?.contains(hash) == true ? defaultMoment : nil)
    }

    private func name(_ hash: UInt64) -> Name? {
        guard let (number, segment) = current?.liveName(hash) else { return departed[hash] }
        return Name(segment: segment, since: moments[number])
    }

    /// Adds the names of a playlist received at `moment`. `isRepeated` is whether the playlist equals the last one.
    mutating func note(_ index: StreamIndex, isRepeated: Bool, at moment: Duration) {
        guard let window = index.window, !window.isEmpty else { return }
        let isRestarted = mayBeRestarted(index, window, at: moment) || (!isRepeated && contradictsLast(index))
        last = (window, moment)
        if isRestarted || current == nil {
            current = nil
            departed = [:]
            defaultMoment = moment
        } else if isRepeated {
            return
        }
        var moments = [Duration](repeating: moment, count: index.liveCount)
        var isReused = false
        index.forEachLiveName { number, hash, segment in
            guard let name = name(hash) else { return }
            if name.segment.hasSamePosition(as: segment) { moments[number] = name.since } else { isReused = true }
        }
        if isReused { defaultMoment = moment }
        current?.forEachLiveName { number, hash, segment in
            if index.liveName(hash) == nil { departed[hash] = Name(segment: segment, since: self.moments[number]) }
        }
        current = index
        self.moments = moments
    }

    /// Removes old names that no playlist contains, once there are more than twice the sum of ``spare`` and the number
    /// of current names.
    mutating func forget(allBut indices: [StreamIndex]) {
        guard departed.count > 2 * indices.reduce(Self.spare, { $0 + $1.liveCount }) else { return }
        departed = departed.filter { name in indices.contains { $0.liveName(name.key) != nil } }
    }

    /// Returns whether a restarted encoder may have written this playlist.
    ///
    /// Media sequence numbers never decrease (RFC 8216bis §6.2.2). However, a slight decrease may come from a lagging
    /// cache, and an increase from a restarted encoder that has caught up. The time since the last playlist decides: a
    /// restarted encoder can't have produced more media than that.
    private func mayBeRestarted(_ index: StreamIndex, _ window: Range<Int>, at moment: Duration) -> Bool {
        guard let last else { return false }
        if window.upperBound <= last.window.lowerBound { return true }
        let fall = last.window.upperBound - window.upperBound
        guard fall <= Self.maximumLag else { return true }
        let elapsed = moment - last.moment
        let hasEnoughTimePassed = elapsed + index.targetDuration >= index.windowDuration
        return hasEnoughTimePassed && (fall > 0 || elapsed >= index.targetDuration * 2)
    }

    /// Returns whether a name is reused with a lower number, or the properties of a segment have changed.
    private func contradictsLast(_ index: StreamIndex) -> Bool {
        var isContradiction = false
        index.forEachLiveName { _, hash, segment in
            guard !isContradiction, let known = name(hash)?.segment else { return }
            isContradiction =
                segment.hasSamePosition(as: known)
                ? segment.contradicts(known, tolerance: index.targetDuration) : segment.number < known.number
        }
        return isContradiction
    }
}

/// The properties that distinguish a live segment from an older one with the same name.
struct LiveSegment: Sendable, Hashable {
    /// The media sequence number (RFC 8216bis §4.4.3.2).
    var number: Int
    /// The duration in nanoseconds; 0 for a part.
    var duration: Int64 = 0
    /// The time of the first sample in nanoseconds since 1970, as written in the playlist or derived from it.
    var start: Int64?
    /// Whether EXT-X-DISCONTINUITY precedes it; nil for the first segment of a playlist, where servers omit the tag.
    var isDiscontinuous: Bool?
    /// The number of a partial segment, counted from 1; 0 for a complete segment.
    var part: Int32 = 0

    /// A key or media initialization section, which has no number.
    static let companion = LiveSegment(number: -1)

    func hasSamePosition(as other: LiveSegment) -> Bool { number == other.number && part == other.part }

    /// Returns whether two segments with the same name and position must be different segments, since a playlist never
    /// changes the properties of a segment (RFC 8216bis §6.2.1). Times derived from rounded durations may drift by less
    /// than `tolerance`.
    func contradicts(_ other: LiveSegment, tolerance: Duration) -> Bool {
        if duration != other.duration { return true }
        if let mine = isDiscontinuous, let theirs = other.isDiscontinuous, mine != theirs { return true }
        guard let mine = start, let theirs = other.start else { return false }
        // The difference between two dates in nanoseconds may exceed 64 bits.
        let (distance, overflow) = mine.subtractingReportingOverflow(theirs)
        return overflow || .nanoseconds(distance.magnitude) > tolerance
    }
}
