import HLS

/// What a track's playlists have named lately. It tells an old copy of a playlist, as caches hand out, from an encoder that
/// begins anew, also where the copy is older than the window.
struct PlaylistPast: Sendable {
    /// How what a playlist names stands to what was named before.
    enum Relation: Sendable {
        /// Some of it was never named.
        case new
        /// All of it was named, as far as that can be told.
        case named
        /// All of it was named, and by its clock it's the same media.
        case same
        /// All of its names are known, and by its clock they mean something else now.
        case reused
    }

    private struct Entry {
        var duration: Int64
        var clock: Int64?
    }

    private static let capacity = 1000
    /// Clocks of two copies may differ by so much: some servers work them out anew each time.
    private static let tolerance: Int64 = 2_000_000_000

    private var entries: [String: Entry] = [:]
    private var order: [String] = []

    /// Takes what a playlist has, from a media sequence number on.
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

    /// How a playlist stands to what was named.
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

    /// - Parameter isExact: whether queries count. Otherwise they're left out: servers put fresh tokens there.
    private static func name(_ segment: MediaSegment, _ isExact: Bool) -> String {
        let name = isExact ? segment.uri : String(segment.uri.path)
        return segment.byteRange.map { "\(name)#\($0.offset ?? -1)+\($0.length)" } ?? name
    }
}
