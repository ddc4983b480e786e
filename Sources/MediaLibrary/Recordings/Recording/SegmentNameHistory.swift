import HLS

/// The segment names that a track's playlists have listed recently. They distinguish an outdated copy of a playlist, as
/// served by a cache, from a restarted encoder, even if all of its segments have left the current playlist.
///
/// A name is a URI without its query, unless segments differ only in their queries. Copies on another host or in
/// another folder have the same file names at the same media sequence numbers.
struct SegmentNameHistory: Sendable {
    /// The relation of a playlist to the names listed before.
    enum Relation: Sendable {
        /// Some segments are new.
        case new
        /// All names were listed before, but there are no dates to compare.
        case named
        /// All names were listed before, and the dates show that the media is unchanged.
        case same
        /// All names were listed before, but the dates show that they now refer to other media.
        case reused
    }

    private struct Entry {
        var duration: Int64
        var clock: Int64?
        var mediaSequence: Int
    }

    private static let capacity = 1000
    /// The maximum difference between the clocks of two copies. Some servers recompute dates for each response.
    private static let tolerance: Int64 = 2_000_000_000

    private var entries: [String: Entry] = [:]
    private var order: [String] = []
    /// The latest name for each media sequence number.
    private var names: [Int: String] = [:]

    /// Adds the names of a playlist's segments, starting at a media sequence number.
    mutating func note(_ playlist: MediaPlaylist, from first: Int) {
        let isExact = playlist.queriesAreSignificant
        for segment in playlist.resolvedSegments where segment.mediaSequence >= first {
            let entry = Entry(
                duration: segment.segment.duration.nanoseconds, clock: segment.boundedDate,
                mediaSequence: segment.mediaSequence)
            note(Self.name(segment.segment, isExact), entry)
        }
    }

    private mutating func note(_ name: String, _ entry: Entry) {
        let known = entries.updateValue(entry, forKey: name)
        if let known {
            if entry.clock == nil { entries[name]?.clock = known.clock }
            if known.mediaSequence != entry.mediaSequence { forget(name, at: known.mediaSequence) }
        }
        names[entry.mediaSequence] = name
        guard known == nil else { return }
        order.append(name)
        guard order.count > 2 * Self.capacity else { return }
        for name in order.prefix(Self.capacity) {
            guard let entry = entries.removeValue(forKey: name) else { continue }
            forget(name, at: entry.mediaSequence)
        }
        order.removeFirst(Self.capacity)
    }

    private mutating func forget(_ name: String, at mediaSequence: Int) {
        if names[mediaSequence] == name { names[mediaSequence] = nil }
    }

    /// Returns the relation of a playlist to the names listed before.
    ///
    /// - Parameter elapsed: The time since the last new segment. A restarted encoder can't have produced more media in
    ///   that time, so a longer undated playlist with known file names in other folders is a copy.
    func relation(to playlist: MediaPlaylist, after elapsed: Duration) -> Relation {
        guard playlist.skip == nil, !playlist.segments.isEmpty else { return .new }
        var (isTimed, hasOtherLinks) = (false, false)
        let isExact = playlist.queriesAreSignificant
        for segment in playlist.resolvedSegments {
            let name = Self.name(segment.segment, isExact)
            let linked = entries[name]
            guard let entry = linked ?? entry(named: name, at: segment.mediaSequence),
                entry.duration == segment.segment.duration.nanoseconds
            else { return .new }
            if linked == nil { hasOtherLinks = true }
            guard let known = entry.clock, let clock = segment.boundedDate else { continue }
            if abs(known - clock) > Self.tolerance { return linked == nil ? .new : .reused }
            isTimed = true
        }
        if hasOtherLinks, !isTimed, elapsed >= .nanoseconds(playlist.durationNanoseconds) { return .new }
        return isTimed ? .same : .named
    }

    /// Returns the segment with a media sequence number if it has the same file name, on any host and in any folder.
    private func entry(named name: String, at mediaSequence: Int) -> Entry? {
        guard let known = names[mediaSequence], known.fileName(withQuery: true) == name.fileName(withQuery: true)
        else { return nil }
        return entries[known]
    }

    /// Returns the name of a segment.
    ///
    /// - Parameter isExact: Whether the query is part of the name. Queries often contain changing tokens.
    private static func name(_ segment: MediaSegment, _ isExact: Bool) -> String {
        let name = isExact ? segment.uri : String(segment.uri.path)
        return segment.byteRange.map { "\(name)#\($0.offset ?? -1)+\($0.length)" } ?? name
    }
}
