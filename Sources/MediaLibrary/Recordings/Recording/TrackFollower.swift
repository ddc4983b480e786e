import HLS
internal import MediaCache

/// Makes rows of a timeline of what a track's playlist says, load after load: a pure value.
///
/// What a playlist moved past before anybody saw it becomes gaps. A media sequence that begins anew is recognised, and so
/// are an encoder that starts again with the same names, a playlist that only counts differently from now on, one whose
/// links are others now, an old copy of one, and two encoders that take turns.
struct TrackFollower: Sendable {
    /// How many of the last rows are compared with a playlist after a restart.
    static let tailLength = 1000
    /// A playlist that another took turns with is remembered so long.
    private static let turnsRemembered = Duration.seconds(600)

    /// What is known of the playlist of one encoder.
    private struct Line {
        /// The playlist as it was loaded last, whole.
        var known: MediaPlaylist
        var past = PlaylistPast()
        /// When something new came last, by a clock that never jumps; nil if that was in another process.
        var changed: Duration?
    }

    /// The number of the next row.
    var next: Int64?
    /// What a row's number is above its number at the origin, from which row on.
    var offset: Int64 = 0
    var first: Int64 = 0
    var clock: TimelineClock
    var companions: [RecordedConditions.Companion] = []
    var nextCompanion: Int64 = 1
    /// How keys and sections were written at the origin, and what they are here.
    var conditions: CachedConditions?
    /// Whether the next row doesn't go on from the one before.
    var isBroken = false
    let folder: String
    private var line: Line?
    /// What was followed before the media sequence began anew.
    private var other: Line?
    /// A playlist that was older than what is known.
    private var stale: MediaPlaylist?

    /// A follower of a track in `folder`.
    ///
    /// - Parameters:
    ///   - tail: what was recorded before, the last `tailLength` rows of it.
    ///   - next: the number of the next row; nil where nothing was recorded.
    init(folder: String, after tail: [RecordedSegment] = [], next: Int64? = nil) {
        self.folder = folder
        self.next = next
        guard let last = tail.last else {
            clock = TimelineClock()
            return
        }
        clock = TimelineClock(end: last.end)
        offset = last.number - Int64(last.originSequence)
        companions = last.conditions.companions
        nextCompanion = (tail.flatMap(\.conditions.companions).map(\.number).max() ?? 0) + 1
        // Those that go on from each other to the end, as the origin counts.
        let run = tail.suffix(Self.tailLength).reversed().prefix { row in
            !row.url.isEmpty && row.number - Int64(row.originSequence) == offset
        }
        guard let oldest = run.last else {
            isBroken = true
            return
        }
        var playlist = MediaPlaylist(targetDuration: last.targetDuration)
        playlist.segments = run.reversed().map { row in
            var segment = MediaSegment(uri: row.url, duration: DecimalValue(nanoseconds: row.duration))
            segment.byteRange = row.range.map { ByteRange(length: Int($0.count), offset: Int($0.lowerBound)) }
            return segment
        }
        playlist.mediaSequence = oldest.originSequence
        first = oldest.number
        line = Line(known: playlist)
        line?.past.note(playlist, from: oldest.originSequence)
    }

    /// The playlist as it was loaded last, whole.
    var known: MediaPlaylist? { line?.known }

    /// Whether the playlist says that nothing more comes.
    var hasEndList: Bool { known?.hasEndList ?? false }

    /// Takes a playlist as it was loaded.
    ///
    /// - Parameters:
    ///   - update: the playlist, its URIs absolute; whole or a delta update.
    ///   - wall: the time by the wall clock at which it came, in nanoseconds since 1970.
    ///   - now: the same by a clock that never jumps.
    ///   - shared: when segments of other tracks begin, by the number that they have at the origin.
    /// - Returns: the rows that are new, and what the load brought.
    /// - Throws: `PlaylistReloadError`: the whole playlist has to be loaded.
    mutating func take(
        _ update: MediaPlaylist, wall: Int64, now: Duration, shared: inout [Int: Int64]
    ) throws(PlaylistReloadError) -> (rows: [RecordedSegment], outcome: PlaylistReload.Outcome) {
        let update = update.withinBounds
        guard let line else {
            guard !update.segments.isEmpty else { return ([], .stale) }
            return (begin(update, missed: isBroken ? nil : 0, wall, now, &shared), .updated)
        }
        if let renamed = Self.renamed(line.known, as: update, isRecent: { elapsed(wall, now) < $0 }) {
            self.line?.known = renamed
            self.line?.past.note(renamed, from: renamed.firstMediaSequence)
        }
        let known = self.known ?? line.known
        let reload = try known.reloaded(with: update)
        switch reload.outcome {
        case .stale: return take(old: update, wall, now, &shared)
        case .unchanged:
            self.line?.known = reload.playlist
            learnLinks(from: known, to: reload.playlist)
            stale = nil
            return ([], .unchanged)
        case .reset:
            if let rows = shift(from: known, to: update, wall, now, &shared) { return (rows, .updated) }
            if let rows = takeTurn(update, wall, now, &shared) {
                return (rows, rows.isEmpty ? .stale : .updated)
            }
            switch line.past.relation(to: update) {
            case .named, .same: return take(old: update, wall, now, &shared)
            case .new, .reused: return (begin(update, missed: nil, wall, now, &shared), .reset)
            }
        case .updated:
            let missed = reload.missedSegments.count
            if missed > 0 {
                // Where so much was missed that names come again, they mean something else.
                if elapsed(wall, now) < .nanoseconds(update.durationNanoseconds),
                    let rows = shift(from: known, to: update, wall, now, &shared)
                {
                    return (rows, .updated)
                }
                if let rows = takeTurn(update, wall, now, &shared) {
                    return (rows, rows.isEmpty ? .stale : .updated)
                }
                guard clock.hasRoom(for: missed, of: averageDuration(of: update), at: wall) else {
                    return (begin(update, missed: nil, wall, now, &shared), .reset)
                }
            }
            learnLinks(from: known, to: reload.playlist)
            return (
                goOn(reload.playlist, from: reload.newSegments.lowerBound, missed: missed, wall, now, &shared), .updated
            )
        }
    }

    // MARK: - Ways to go on

    /// The same media sequence goes on.
    private mutating func goOn(
        _ playlist: MediaPlaylist, from start: Int, missed: Int, _ wall: Int64, _ now: Duration,
        _ shared: inout [Int: Int64]
    ) -> [RecordedSegment] {
        line?.known = playlist
        stale = nil
        guard start < playlist.nextMediaSequence else { return [] }
        line?.changed = now
        line?.past.note(playlist, from: start)
        return rows(start..<playlist.nextMediaSequence, of: playlist, missed: missed, wall, &shared)
    }

    /// The playlist only counts differently, if that is so.
    private mutating func shift(
        from known: MediaPlaylist, to update: MediaPlaylist, _ wall: Int64, _ now: Duration,
        _ shared: inout [Int: Int64]
    ) -> [RecordedSegment]? {
        guard let shift = Self.shift(from: known, to: update) else { return nil }
        offset -= Int64(shift)
        return goOn(update, from: known.nextMediaSequence + shift, missed: 0, wall, now, &shared)
    }

    /// A media sequence begins: all that is in the playlist is new.
    ///
    /// - Parameter missed: how much was lost before; nil where nobody knows.
    private mutating func begin(
        _ update: MediaPlaylist, missed: Int?, _ wall: Int64, _ now: Duration, _ shared: inout [Int: Int64]
    ) -> [RecordedSegment] {
        // Of two that have the same names nobody could say which one goes on.
        if let line { if case .new = line.past.relation(to: update) { other = line } else { other = nil } }
        line = Line(known: update, changed: now)
        line?.past.note(update, from: update.firstMediaSequence)
        stale = nil
        if missed == nil { isBroken = true }
        // Names may mean something else now.
        companions = []
        conditions = nil
        let new = update.firstMediaSequence..<update.nextMediaSequence
        if let end = clock.end {
            for sequence in new { shared[sequence] = shared[sequence].flatMap { $0 >= end ? $0 : nil } }
        }
        return rows(new, of: update, missed: missed, wall, &shared)
    }

    /// What is older than what is known comes from a cache. If nothing else has come for long, and it changes, an encoder has
    /// begun again, with the numbers and the names that it had before.
    private mutating func take(
        old update: MediaPlaylist, _ wall: Int64, _ now: Duration, _ shared: inout [Int: Int64]
    ) -> (rows: [RecordedSegment], outcome: PlaylistReload.Outcome) {
        guard !update.segments.isEmpty, let line else { return ([], .stale) }
        let isChanging = stale.map { $0.segments.map(\.uri) != update.segments.map(\.uri) } ?? false
        stale = update
        let target = Duration.seconds(max(1, line.known.targetDuration ?? 1))
        let isNew =
            switch line.past.relation(to: update) {
            case .same: false
            case .reused: elapsed(wall, now) >= target * 3 / 2
            // One that has begun has fewer segments; a copy has as many as ever.
            case .named where update.segments.count >= line.known.segments.count:
                isChanging && elapsed(wall, now) >= target * 5
            case .named, .new: isChanging && elapsed(wall, now) >= target * 3
            }
        return isNew ? (begin(update, missed: nil, wall, now, &shared), .reset) : ([], .stale)
    }

    /// The playlist goes on with what was followed before the media sequence began anew: two encoders take turns, or what
    /// seemed to be a beginning was a mistake.
    private mutating func takeTurn(
        _ update: MediaPlaylist, _ wall: Int64, _ now: Duration, _ shared: inout [Int: Int64]
    ) -> [RecordedSegment]? {
        guard let other, update.skip == nil, let changed = other.changed, now - changed <= Self.turnsRemembered,
            let reload = try? other.known.reloaded(with: update), reload.missedSegments.isEmpty
        else { return nil }
        switch reload.outcome {
        case .reset: return nil
        case .stale:
            guard other.past.relation(to: update) != .reused else { return nil }
            return []
        case .unchanged, .updated:
            self.other = line
            line = other
            isBroken = true
            companions = []
            conditions = nil
            return goOn(reload.playlist, from: reload.newSegments.lowerBound, missed: 0, wall, now, &shared)
        }
    }

    /// How long nothing new has come.
    private func elapsed(_ wall: Int64, _ now: Duration) -> Duration {
        line?.changed.map { now - $0 } ?? .nanoseconds(max(0, wall - (clock.end ?? wall)))
    }

    // MARK: - Which is which

    /// How much further on a playlist counts that goes on from what is known, by the names of its segments.
    private static func shift(from known: MediaPlaylist, to update: MediaPlaylist) -> Int? {
        guard let last = known.segments.last, update.skip == nil else { return nil }
        let index = update.segments.lastIndex { isSame($0, last) }
        guard let index else { return nil }
        let overlap = min(index + 1, known.segments.count)
        guard overlap >= 2 || known.segments.count == 1 || index == 0 && update.segments.count > 1 else { return nil }
        let isRun = zip(known.segments.suffix(overlap), update.segments[(index + 1 - overlap)...index]).allSatisfy {
            isSame($0, $1)
        }
        return isRun ? update.firstMediaSequence + index - (known.nextMediaSequence - 1) : nil
    }

    private static func isSame(_ left: MediaSegment, _ right: MediaSegment) -> Bool {
        left.uri.prefix { $0 != "?" } == right.uri.prefix { $0 != "?" } && isAlike(left, right)
    }

    private static func isAlike(_ left: MediaSegment, _ right: MediaSegment) -> Bool {
        left.byteRange?.offset == right.byteRange?.offset && left.duration == right.duration
            && (left.programDateTime == nil || right.programDateTime == nil
                || left.programDateTime?.nanosecondsSinceEpoch == right.programDateTime?.nanosecondsSinceEpoch)
    }

    /// What is known with other links, where an update has the same segments in other folders: what gives access is in the
    /// path.
    ///
    /// - Parameter isRecent: whether less time than this is over since something new came. An encoder that begins anew
    ///   makes no more media than that.
    private static func renamed(
        _ known: MediaPlaylist, as update: MediaPlaylist, isRecent: (Duration) -> Bool
    ) -> MediaPlaylist? {
        guard update.skip == nil, update.nextMediaSequence >= known.nextMediaSequence else { return nil }
        let start = max(known.firstMediaSequence, update.firstMediaSequence)
        guard start < known.nextMediaSequence else { return nil }
        var renamed = known
        var duration: Int64 = 0
        var isTimed = true
        for sequence in start..<known.nextMediaSequence {
            let (place, segment) = (
                sequence - known.firstMediaSequence, update.segments[sequence - update.firstMediaSequence]
            )
            let own = known.segments[place]
            guard own.uri != segment.uri, isAlike(own, segment), fileName(own) == fileName(segment) else { return nil }
            isTimed = isTimed && own.programDateTime != nil && segment.programDateTime != nil
            duration += segment.duration.nanoseconds
            renamed.segments[place].uri = segment.uri
        }
        return isTimed || isRecent(.nanoseconds(duration)) ? renamed : nil
    }

    private static func fileName(_ segment: MediaSegment) -> Substring {
        let path = segment.uri.prefix { $0 != "?" }
        return path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path
    }
}
