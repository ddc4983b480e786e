/// Since when the names of one live stream mean the segments that they do.
struct SegmentNames: Sendable {
    private struct Name {
        var segment: LiveSegment
        var since: Duration
    }

    /// Names that have left all playlists are kept beyond those that haven't: an older view may come in between.
    private static let spare = 1024

    /// By the hash of the URL.
    private var names: [UInt64: Name] = [:]
    /// The number of the first segment in the playlist that came last.
    private var first: Int?

    /// Since when a URL of this hash means what it does.
    func since(_ hash: UInt64) -> Duration? { names[hash]?.since }

    /// Takes in what a playlist that came at `moment` names.
    mutating func note(_ index: StreamIndex, at moment: Duration) {
        guard let window = index.window, !window.isEmpty else { return }
        if isAnew(index, window) { names = [:] }
        first = window.lowerBound
        index.forEachLiveName { hash, segment in
            let known = names[hash].flatMap { $0.segment.hasPlace(of: segment) ? $0 : nil }
            names[hash] = Name(segment: segment, since: known?.since ?? moment)
        }
    }

    /// Forgets the names that no playlist has had for long.
    mutating func forget(allBut indices: [StreamIndex]) {
        guard names.count > 2 * indices.reduce(Self.spare, { $0 + $1.count }) else { return }
        var kept: [UInt64: Name] = [:]
        for index in indices {
            index.forEachLiveName { hash, _ in kept[hash] = names[hash] }
        }
        names = kept
    }

    /// Whether the encoder has started again, so that nothing that was known of its names holds.
    ///
    /// Media sequence numbers never fall (RFC 8216bis §6.2.2): all of them come before those of the last playlist, or a
    /// name comes again under a lower one. A window that overlaps the last one may be an older view of the same; it's
    /// another if it says other things of a segment.
    private func isAnew(_ index: StreamIndex, _ window: Range<Int>) -> Bool {
        if let first, window.upperBound <= first { return true }
        var isAnew = false
        index.forEachLiveName { hash, segment in
            guard !isAnew, let known = names[hash]?.segment else { return }
            isAnew =
                segment.hasPlace(of: known)
                ? segment.contradicts(known, tolerance: index.clockTolerance) : segment.number < known.number
        }
        return isAnew
    }
}
