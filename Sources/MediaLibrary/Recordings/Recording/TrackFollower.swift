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
    struct Line {
        /// The playlist as it was loaded last, whole.
        var known: MediaPlaylist
        var past = PlaylistPast()
        /// When the segments of ``known`` begin, where they were recorded by an earlier process: by media sequence number,
        /// in nanoseconds since 1970.
        var recorded: [Int: Int64] = [:]
        /// When something new came last, by a clock that never jumps; nil if that was in another process.
        var changed: Duration?
        /// What a row's number is above its number at the origin, from which row on.
        var offset: Int64 = 0
        var first: Int64 = .max
        /// The media sequence number of the last segment with a date, while that is in the playlist.
        var dated: Int?

        /// Notes which dates a playlist has, as it was loaded.
        mutating func noteDates(of update: MediaPlaylist) {
            let index = update.segments.lastIndex { $0.programDateTime?.nanosecondsSinceEpoch != nil }
            let kept = update.skip == nil ? nil : dated.flatMap { $0 >= update.mediaSequence ? $0 : nil }
            dated = index.map { update.firstMediaSequence + $0 } ?? kept
        }
    }

    /// Old copies of a playlist that come one after the other.
    private struct OldCopies {
        /// The one that goes furthest.
        var furthest: MediaPlaylist
        /// How many went on from the ones before, without one that didn't.
        var advances = 0
    }

    /// The number of the next row.
    var next: Int64?
    var clock: TimelineClock
    var companions: [RecordedConditions.Companion] = []
    var nextCompanion: Int64 = 1
    /// How keys and sections were written at the origin, and what they are here.
    var conditions: CachedConditions?
    /// Whether the next row doesn't go on from the one before.
    var isBroken = false
    /// The date ranges that rows have or will have, as they were written.
    var dateRanges: Set<String> = []
    /// Date ranges that were seen outside new rows: the next row gets them.
    var pendingDateRanges: [String] = []
    /// The scope of what the playlist names that was taken last; nil before one was.
    var scope: AddressScope?
    let folder: String
    /// How discontinuities are counted.
    private(set) var numbers: DiscontinuityNumbers
    /// How many discontinuities stand before the track's first row.
    private(set) var firstDiscontinuities: Int64 = 0
    /// The numbers of the other tracks.
    private var otherNumbers: [DiscontinuityNumbers] = []
    /// How far the clock of another track is behind the arrival of its segments.
    var otherLag: Int64?
    private var line: Line?
    /// What was followed before the media sequence began anew.
    private var other: Line?
    /// A redundant copy that has nothing in common with what is known, as it was loaded last.
    var candidate: MediaPlaylist?
    /// Playlists that were older than what is known.
    private var stale: OldCopies?

    /// A follower of a track in `folder`.
    ///
    /// - Parameters:
    ///   - tail: what was recorded before, the last `tailLength` rows of it.
    ///   - next: the number of the next row; nil where nothing was recorded.
    ///   - discontinuities: how many discontinuities there are up to the last row.
    init(folder: String, after tail: [RecordedSegment] = [], next: Int64? = nil, discontinuities: Int64 = 0) {
        self.folder = folder
        numbers = DiscontinuityNumbers(after: tail, number: discontinuities)
        self.next = next
        guard let last = tail.last else {
            clock = TimelineClock()
            return
        }
        clock = TimelineClock(after: last)
        dateRanges = Set(tail.flatMap(\.tags).filter { $0.hasPrefix(PlaylistTag.dateRange.rawValue) })
        let offset = last.number - Int64(last.originSequence)
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
        playlist.discontinuitySequence = Int(oldest.originDiscontinuity ?? 0)
        var count = oldest.originDiscontinuity
        playlist.segments = run.reversed().map { row in
            var segment = MediaSegment(uri: row.url, duration: DecimalValue(nanoseconds: row.duration))
            segment.byteRange = row.range.map { ByteRange(length: Int($0.count), offset: Int($0.lowerBound)) }
            if let own = row.originDiscontinuity, let before = count, own > before { segment.isDiscontinuous = true }
            count = row.originDiscontinuity
            return segment
        }
        playlist.mediaSequence = oldest.originSequence
        line = Line(known: playlist)
        line?.offset = offset
        line?.first = oldest.number
        line?.recorded = Dictionary(run.map { ($0.originSequence, $0.start) }) { first, _ in first }
        line?.past.note(playlist, from: oldest.originSequence)
    }

    /// The playlist as it was loaded last, whole.
    var known: MediaPlaylist? { line?.known }

    /// What a row's number is above its number at the origin.
    var offset: Int64 {
        get { line?.offset ?? 0 }
        set { line?.offset = newValue }
    }

    /// The first row that ``offset`` counts for.
    var first: Int64 {
        get { line?.first ?? .max }
        set { line?.first = newValue }
    }

    /// Counts the discontinuities before a row, with the gaps before that.
    mutating func countDiscontinuities(
        before segment: ResolvedSegment, start: Int64, _ step: DiscontinuityNumbers.Step, gaps: Int
    ) -> Int {
        let isFirst = next == nil
        let count = numbers.take(
            origin: Int64(segment.discontinuitySequence), isTagged: segment.segment.isDiscontinuous, start: start, step,
            gaps: gaps, besides: otherNumbers)
        if isFirst { firstDiscontinuities = numbers.number - Int64(count) }
        return count
    }

    /// Whether the playlist has a date itself. One that has left it implies none.
    var isDated: Bool { line?.dated != nil }

    /// Whether the playlist says that nothing more comes.
    var hasEndList: Bool { known?.hasEndList ?? false }

    /// Takes a playlist as it was loaded.
    ///
    /// - Parameters:
    ///   - update: the playlist, its URIs absolute; whole or a delta update.
    ///   - wall: the time by the wall clock at which it came, in nanoseconds since 1970.
    ///   - now: the same by a clock that never jumps.
    ///   - lag: how far the clock of another track is behind the arrival of its segments, in nanoseconds; nil where none
    ///     has a clock. Media sequence numbers of two tracks have nothing to do with each other (RFC 8216bis §4.4.3.2).
    ///   - others: how the other tracks count discontinuities.
    ///   - isCopy: whether the playlist may be another redundant copy than the one that is known.
    /// - Returns: the rows that are new, and what the load brought.
    /// - Throws: `PlaylistReloadError`: the whole playlist has to be loaded.
    mutating func take(
        _ update: MediaPlaylist, wall: Int64, now: Duration, lag: Int64? = nil,
        besides others: [DiscontinuityNumbers] = [], isCopy: Bool = false
    ) throws(PlaylistReloadError) -> (rows: [RecordedSegment], outcome: PlaylistReload.Outcome) {
        let update = update.withinBounds
        otherLag = lag
        otherNumbers = others
        guard let line else {
            // Nothing is known that a delta update could leave out.
            guard update.skip == nil else {
                throw .unknownSegments(update.mediaSequence..<update.firstMediaSequence)
            }
            guard !update.segments.isEmpty else { return ([], .stale) }
            return (begin(update, missed: isBroken ? nil : 0, wall, now), .updated)
        }
        if isCopy, let joined = join(update, to: line, wall, now) { return joined }
        if let renamed = Self.renamed(line.known, as: update, isRecent: { elapsed(wall, now) < $0 }) {
            self.line?.known = renamed
            self.line?.past.note(renamed, from: renamed.firstMediaSequence)
        }
        let known = self.known ?? line.known
        let reload = try known.reloaded(with: update)
        if reload.outcome != .stale, reload.outcome != .reset, hasRestarted(update, wall, now) {
            return (begin(update, missed: nil, wall, now), .reset)
        }
        switch reload.outcome {
        case .stale: return take(old: update, wall, now)
        case .unchanged:
            self.line?.noteDates(of: update)
            self.line?.known = reload.playlist
            self.line?.recorded = [:]
            learnLinks(from: known, to: reload.playlist)
            noteDateRanges(of: reload.playlist, from: reload.playlist.nextMediaSequence)
            stale = nil
            return ([], .unchanged)
        case .reset:
            if let rows = shift(from: known, to: update, wall, now) { return (rows, .updated) }
            if let rows = takeTurn(update, wall, now) {
                return (rows, rows.isEmpty ? .stale : .updated)
            }
            switch line.past.relation(to: update) {
            case .named, .same: return take(old: update, wall, now)
            case .new, .reused: return (begin(update, missed: nil, wall, now), .reset)
            }
        case .updated:
            let missed = reload.missedSegments.count
            if missed > 0 {
                // Where so much was missed that names come again, they mean something else.
                if elapsed(wall, now) < .nanoseconds(update.durationNanoseconds),
                    let rows = shift(from: known, to: update, wall, now)
                {
                    return (rows, .updated)
                }
                if let rows = takeTurn(update, wall, now) {
                    return (rows, rows.isEmpty ? .stale : .updated)
                }
                guard clock.hasRoom(for: missed, of: averageDuration(of: update), at: wall) else {
                    return (begin(update, missed: nil, wall, now), .reset)
                }
            }
            learnLinks(from: known, to: reload.playlist)
            return (
                goOn(update, as: reload.playlist, from: reload.newSegments.lowerBound, missed: missed, wall, now),
                .updated
            )
        }
    }

    // MARK: - Ways to go on

    /// The same media sequence goes on: with an update, which makes a whole playlist of what is known.
    private mutating func goOn(
        _ update: MediaPlaylist, as playlist: MediaPlaylist, from start: Int, missed: Int, _ wall: Int64,
        _ now: Duration
    ) -> [RecordedSegment] {
        line?.noteDates(of: update)
        line?.known = playlist
        line?.recorded = [:]
        stale = nil
        noteDateRanges(of: playlist, from: start)
        guard start < playlist.nextMediaSequence else { return [] }
        line?.changed = now
        line?.past.note(playlist, from: start)
        return rows(start..<playlist.nextMediaSequence, of: playlist, missed: missed, wall)
    }

    /// The playlist only counts differently, if that is so.
    private mutating func shift(
        from known: MediaPlaylist, to update: MediaPlaylist, _ wall: Int64, _ now: Duration
    ) -> [RecordedSegment]? {
        guard let shift = Self.shift(from: known, to: update) else { return nil }
        offset -= Int64(shift)
        return goOn(update, as: update, from: known.nextMediaSequence + shift, missed: 0, wall, now)
    }

    /// A media sequence begins: all that is in the playlist is new, but for what the clock says is recorded.
    ///
    /// - Parameter missed: how much was lost before; nil where nobody knows.
    private mutating func begin(
        _ update: MediaPlaylist, missed: Int?, _ wall: Int64, _ now: Duration
    ) -> [RecordedSegment] {
        // Of two that have the same names nobody could say which one goes on.
        if let line { if case .new = line.past.relation(to: update) { other = line } else { other = nil } }
        line = Line(known: update, changed: now)
        line?.noteDates(of: update)
        line?.past.note(update, from: update.firstMediaSequence)
        stale = nil
        if missed == nil { isBroken = true }
        // Names may mean something else now.
        companions = []
        conditions = nil
        noteDateRanges(of: update, from: update.firstMediaSequence)
        return rows(update.firstMediaSequence..<update.nextMediaSequence, of: update, missed: missed, wall)
    }

    /// Follows a redundant copy from now on.
    ///
    /// - Parameter changed: when something new came last, by a clock that never jumps.
    mutating func restart(with copy: MediaPlaylist, changed: Duration?) {
        line = Line(known: copy, changed: changed, offset: offset, first: first)
        line?.noteDates(of: copy)
        line?.past.note(copy, from: copy.firstMediaSequence)
        (other, stale, conditions, candidate) = (nil, nil, nil, nil)
    }

    /// What is older than what is known comes from a cache. If nothing else has come for long, and it changes, an encoder has
    /// begun again, with the numbers and the names that it had before.
    private mutating func take(
        old update: MediaPlaylist, _ wall: Int64, _ now: Duration
    ) -> (rows: [RecordedSegment], outcome: PlaylistReload.Outcome) {
        guard !update.segments.isEmpty, let line else { return ([], .stale) }
        let isChanging = isAdvancing(update)
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
        return isNew ? (begin(update, missed: nil, wall, now), .reset) : ([], .stale)
    }

    /// Whether old copies advance from load to load, as those of an encoder do. Caches that take turns go back, too.
    private mutating func isAdvancing(_ update: MediaPlaylist) -> Bool {
        guard var copies = stale else {
            stale = OldCopies(furthest: update)
            return false
        }
        let reload = try? copies.furthest.reloaded(with: update)
        let shift = Self.shift(from: copies.furthest, to: update)
        if reload?.outcome == .updated && reload?.newSegments.isEmpty == false
            || shift.map({ update.nextMediaSequence > copies.furthest.nextMediaSequence + $0 }) == true
        {
            copies.furthest = update
            copies.advances += 1
        } else if update.segments.last?.uri != copies.furthest.segments.last?.uri {
            copies.advances = 0
            // Of two that have nothing in common none goes further.
            if reload?.outcome == .reset, shift == nil { copies.furthest = update }
        }
        stale = copies
        return copies.advances > 1
    }

    /// The playlist goes on with what was followed before the media sequence began anew: two encoders take turns, or what
    /// seemed to be a beginning was a mistake.
    private mutating func takeTurn(
        _ update: MediaPlaylist, _ wall: Int64, _ now: Duration
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
            return goOn(
                update, as: reload.playlist, from: reload.newSegments.lowerBound, missed: 0, wall, now)
        }
    }

    /// Whether an encoder has begun again with its names, and has come further than it had before: what the playlist has
    /// under known numbers and names was made after all that is known, and there was time enough to make it.
    private func hasRestarted(_ update: MediaPlaylist, _ wall: Int64, _ now: Duration) -> Bool {
        guard let line, update.skip == nil else { return false }
        let known = line.known
        let common =
            max(
                known.firstMediaSequence, update.firstMediaSequence)..<max(
                known.firstMediaSequence, update.firstMediaSequence,
                min(known.nextMediaSequence, update.nextMediaSequence))
        guard let last = known.segments.last, !common.isEmpty else { return false }
        let tolerance = max(5_000_000_000, Int64(max(1, known.targetDuration ?? 1)) * 1_000_000_000)
        let elapsed = elapsed(wall, now).nanoseconds
        var time: Int64 = 0
        for sequence in common {
            time += update.segments[sequence - update.firstMediaSequence].duration.nanoseconds
            // There was no time to make so much: nothing is dated, which would take long in a long playlist.
            guard time <= elapsed.clampedSum(2 * tolerance) else { return false }
        }
        func date(_ playlist: MediaPlaylist, _ sequence: Int) -> Int64? {
            playlist.resolvedSegments.first { $0.mediaSequence == sequence }?.boundedDate
        }
        guard
            let lastDate = date(known, known.nextMediaSequence - 1) ?? line.recorded[known.nextMediaSequence - 1],
            let firstNew = date(update, common.lowerBound), let lastNew = date(update, common.upperBound - 1)
        else { return false }
        let end = lastDate.clampedSum(last.duration.nanoseconds)
        let newest = end.clampedSum(elapsed).clampedSum(tolerance)
        let own = update.segments[common.upperBound - 1 - update.firstMediaSequence].duration.nanoseconds
        return firstNew >= end - tolerance / 2 && firstNew > lastDate && lastNew.clampedSum(own) <= newest
    }

    /// How long nothing new has come.
    private func elapsed(_ wall: Int64, _ now: Duration) -> Duration {
        line?.changed.map { now - $0 } ?? .nanoseconds(max(0, wall - (clock.end ?? wall)))
    }
}
