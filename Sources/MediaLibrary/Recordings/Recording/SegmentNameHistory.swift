import HLS

/// The names that a track's playlists have listed recently. They distinguish an old copy of a playlist, as caches serve
/// it, from a restarted encoder, even if the copy is older than the window.
struct SegmentNameHistory: Sendable {
    /// The relation of a playlist to the names listed before.
    enum Relation: Sendable {
        /// Some names are new.
        case new
        /// All names were listed before, and no date contradicts that.
        case named
        /// All names were listed before, and the dates show that the media is unchanged.
        case same
        /// All names were listed before, but the dates show that they now refer to other media.
        case reused
    }

    private struct Entry {
        var duration: Int64
        var clock: Int64?
    }

    private static let capacity = 1000
    /// The maximum difference between the clocks of two copies. Some servers recompute dates for each response.
    private static let tolerance: Int64 = 2_000_000_000

    private var entries: [String: Entry] = [:]
    private var order: [String] = []

    /// Adds the names of a playlist from a media sequence number on.
    mutating func note(_ playlist: MediaPlaylist, from first: Int) {
        let isExact = playlist.queriesTellApart
        for segment in playlist.resolvedSegments where segment.mediaSequence >= first {
            note(Self.name(segment.segment, isExact), segment.segment.duration, segment.boundedDate)
        }
    }

    private mutating func note(_ name: String, _ duration: DecimalValue, _ clock: Int64?) {
        let known = entries.updateValue(Entry(duration: duration.nanoseconds, clock: clock), forKey: name)
        guard known == nil else {
            if clock == nil { entries[name]?.clock = known?.clock }
            return
        }
        order.append(name)
        guard order.count > 2 * Self.capacity else { return }
        for name in order.prefix(Self.capacity) { entries[name] = nil }
        order.removeFirst(Self.capacity)
    }

    /// Returns the relation of a playlist to the names listed before.
    func relation(to playlist: MediaPlaylist) -> Relation {
        guard playlist.skip == nil, !playlist.segments.isEmpty else { return .new }
        var isTimed = false
        let isExact = playlist.queriesTellApart
        for segment in playlist.resolvedSegments {
            guard let entry = entries[Self.name(segment.segment, isExact)],
                entry.duration == segment.segment.duration.nanoseconds
            else { return .new }
            guard let known = entry.clock, let clock = segment.boundedDate else { continue }
            if abs(known - clock) > Self.tolerance { return .reused }
            isTimed = true
        }
        return isTimed ? .same : .named
    }

    /// Returns the name of a segment.
    ///
    /// - Parameter isExact: whether the query is part of the name. Queries often contain changing tokens.
    private static func name(_ segment: MediaSegment, _ isExact: Bool) -> String {
        let name = isExact ? segment.uri : String(segment.uri.path)
        return segment.byteRange.map { "\(name)#\($0.offset ?? -1)+\($0.length)" } ?? name
    }
}
