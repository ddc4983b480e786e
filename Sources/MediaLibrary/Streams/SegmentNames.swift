/// Since when the names of one live stream mean the segments that they do.
struct SegmentNames: Sendable {
    private struct Name {
        var segment: LiveSegment
        var since: Duration
    }

    /// Names that have left all playlists are kept beyond those that haven't: an older view may come in between.
    private static let spare = 1024

    /// By how many segments a cache that lags may be behind.
    private static let olderBy = 2

    /// The playlist that came last, and since when each of its newest names means what it does.
    private var current: StreamIndex?
    private var moments: [Duration] = []
    /// Names that were among them, by the hash of the URL.
    private var departed: [UInt64: Name] = [:]
    /// Since when names mean what they do of which no more is known: since the stream was first seen, or since a name was
    /// last given again.
    private var known = Duration.zero
    /// The media sequence numbers of the playlist that came last, and when that was.
    private var last: (window: Range<Int>, moment: Duration)?

    /// Since when a URL of this hash means what it does.
    func since(_ hash: UInt64) -> Duration? {
        name(hash)?.since ?? (current?.contains(hash) == true ? known : nil)
    }

    private func name(_ hash: UInt64) -> Name? {
        guard let (number, segment) = current?.liveName(hash) else { return departed[hash] }
        return Name(segment: segment, since: moments[number])
    }

    /// Takes in what a playlist that came at `moment` names. `isRepeated`: it's the one that came last, once more.
    mutating func note(_ index: StreamIndex, isRepeated: Bool, at moment: Duration) {
        guard let window = index.window, !window.isEmpty else { return }
        let isAnew = mayBeAnew(index, window, at: moment) || (!isRepeated && saysOtherwise(index))
        last = (window, moment)
        if isAnew || current == nil {
            current = nil
            departed = [:]
            known = moment
        } else if isRepeated {
            return
        }
        var moments = [Duration](repeating: moment, count: index.liveCount)
        var isReused = false
        index.forEachLiveName { number, hash, segment in
            guard let name = name(hash) else { return }
            if name.segment.hasPlace(of: segment) { moments[number] = name.since } else { isReused = true }
        }
        if isReused { known = moment }
        current?.forEachLiveName { number, hash, segment in
            if index.liveName(hash) == nil { departed[hash] = Name(segment: segment, since: self.moments[number]) }
        }
        current = index
        self.moments = moments
    }

    /// Forgets the names that no playlist has had for long.
    mutating func forget(allBut indices: [StreamIndex]) {
        guard departed.count > 2 * indices.reduce(Self.spare, { $0 + $1.liveCount }) else { return }
        departed = departed.filter { name in indices.contains { $0.liveName(name.key) != nil } }
    }

    /// Whether an encoder that has started again, and counts from where it began before, may have written this playlist.
    ///
    /// Media sequence numbers never fall (RFC 8216bis §6.2.2). Where they do a little, it may be an older view of the
    /// same, from a cache that lags behind; where they don't, the new encoder may have come as far as the old one. Both
    /// tell by the clock: what was written since the last playlist came is no longer than the time in between.
    private func mayBeAnew(_ index: StreamIndex, _ window: Range<Int>, at moment: Duration) -> Bool {
        guard let last else { return false }
        if window.upperBound <= last.window.lowerBound { return true }
        let fall = last.window.upperBound - window.upperBound
        guard fall <= Self.olderBy else { return true }
        let elapsed = moment - last.moment
        let isTimeEnough = elapsed + index.targetDuration >= index.windowDuration
        return isTimeEnough && (fall > 0 || elapsed >= index.targetDuration * 2)
    }

    /// Whether a name comes again under a lower number, or something else is said of a segment.
    private func saysOtherwise(_ index: StreamIndex) -> Bool {
        var isOther = false
        index.forEachLiveName { _, hash, segment in
            guard !isOther, let known = name(hash)?.segment else { return }
            isOther =
                segment.hasPlace(of: known)
                ? segment.contradicts(known, tolerance: index.targetDuration) : segment.number < known.number
        }
        return isOther
    }
}
