import HLS
internal import MediaCache

/// A converter that turns the successive loads of a track's playlist into rows of a timeline.
///
/// Segments that appeared in the playlist and left it between two loads become gaps. The follower detects restarted and
/// alternating encoders, changed numbers and URLs, and outdated copies from caches.
struct TrackFollower: Sendable {
    /// The number of most recent rows that are compared with the playlist after a restart of the process.
    static let tailLength = 1000
    /// The time for which the playlist of an alternating encoder is remembered.
    private static let alternationMemory = Duration.seconds(600)

    /// The known state of one encoder's playlist.
    struct EncoderRun {
        /// The whole playlist as of the last load.
        var known: MediaPlaylist
        var past = SegmentNameHistory()
        /// Starts, in nanoseconds since 1970, of segments that an earlier process recorded, by media sequence number.
        var recorded: [Int: Int64] = [:]
        /// The monotonic time of the last new segment; nil if an earlier process saw it.
        var changed: Duration?
        /// The difference between row numbers and media sequence numbers, and the first row that it applies to.
        var offset: Int64 = 0
        var first: Int64 = .max
        /// The media sequence number of the last segment with a date; nil if the playlist doesn't list such a segment.
        var dated: Int?

        /// Notes the dates of a loaded playlist.
        mutating func noteDates(of update: MediaPlaylist) {
            let index = update.segments.lastIndex { $0.programDateTime?.nanosecondsSinceEpoch != nil }
            let remaining = update.skip == nil ? nil : dated.flatMap { $0 >= update.mediaSequence ? $0 : nil }
            dated = index.map { update.firstMediaSequence + $0 } ?? remaining
        }
    }

    /// Consecutive old copies of a playlist.
    private struct StaleCopies {
        /// The copy that ends last.
        var furthest: MediaPlaylist
        /// The number of consecutive copies that continued their predecessor.
        var advances = 0
    }

    /// The number of the next row.
    var next: Int64?
    var clock: TimelineClock
    var companions: [RecordedConditions.Companion] = []
    var nextCompanion: Int64 = 1
    /// The conditions of the last segment.
    var conditions: CachedConditions?
    /// Whether the next row doesn't continue the last one.
    var isBroken = false
    /// The date ranges of the last playlist, as text; before the first load, those of the recorded rows.
    var dateRanges: Set<String> = []
    /// The date ranges seen outside new rows. They are added to the next row.
    var pendingDateRanges: [String] = []
    /// The scope of the last processed playlist's references; nil before the first.
    var scope: AddressScope?
    let folder: String
    private(set) var numbers: DiscontinuityNumbers
    /// The number of discontinuities before the track's first row.
    private(set) var firstDiscontinuities: Int64 = 0
    private var otherNumbers: [DiscontinuityNumbers] = []
    /// The lag of another track's clock behind the arrival of its segments.
    var otherLag: Int64?
    private var encoder: EncoderRun?
    /// The encoder that was followed before the media sequence restarted.
    private var otherEncoder: EncoderRun?
    /// The last load of a redundant copy that has nothing in common with the known playlist.
    var candidate: MediaPlaylist?
    /// The old copies in the most recent loads; nil if there are none.
    private var stale: StaleCopies?

    /// - Parameters:
    ///   - tail: The last recorded rows, at most `tailLength`.
    ///   - next: The number of the next row; nil if nothing is recorded.
    ///   - discontinuities: The number of discontinuities up to the last row.
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
        // The last rows with consecutive media sequence numbers.
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
        encoder = EncoderRun(known: playlist)
        encoder?.offset = offset
        encoder?.first = oldest.number
        encoder?.recorded = Dictionary(run.map { ($0.originSequence, $0.start) }) { first, _ in first }
        encoder?.past.note(playlist, from: oldest.originSequence)
    }

    var known: MediaPlaylist? { encoder?.known }

    var offset: Int64 {
        get { encoder?.offset ?? 0 }
        set { encoder?.offset = newValue }
    }

    var first: Int64 {
        get { encoder?.first ?? .max }
        set { encoder?.first = newValue }
    }

    /// Returns the number of discontinuities before a row, including those in gaps before it.
    mutating func countDiscontinuities(
        before segment: ResolvedSegment, start: Int64, _ step: DiscontinuityNumbers.Step, gaps: Int
    ) -> Int {
        let isFirst = next == nil
        let count = numbers.take(
            origin: Int64(segment.discontinuitySequence), isTagged: segment.segment.isDiscontinuous, start: start, step,
            gaps: gaps, otherTracks: otherNumbers)
        if isFirst { firstDiscontinuities = numbers.number - Int64(count) }
        return count
    }

    /// Whether the playlist itself has a date. Dates that have left the playlist don't count.
    var isDated: Bool { encoder?.dated != nil }

    var hasEndList: Bool { known?.hasEndList ?? false }

    /// Processes a loaded playlist.
    ///
    /// - Parameters:
    ///   - update: The whole playlist or a delta update, with absolute URIs.
    ///   - wall: The wall clock's time of the load, in nanoseconds since 1970.
    ///   - lag: The lag of another track's clock behind the arrival of its segments, in nanoseconds; nil if no other
    ///     track has a clock.
    ///   - isCopy: Whether the playlist may be a different redundant copy than the known one.
    ///   - hasNewLinks: Whether the playlist has a different URL than the known one, after a redirect or a reload of
    ///     the multivariant playlist.
    /// - Throws: `PlaylistReloadError` if the whole playlist has to be loaded.
    mutating func take(
        _ update: MediaPlaylist, wall: Int64, now: Duration, lag: Int64? = nil,
        otherTracks others: [DiscontinuityNumbers] = [], isCopy: Bool = false, hasNewLinks: Bool = false
    ) throws(PlaylistReloadError) -> (rows: [RecordedSegment], outcome: PlaylistReload.Outcome) {
        let update = update.withinBounds
        otherLag = lag
        otherNumbers = others
        guard let encoder else {
            // A delta update needs a known playlist.
            guard update.skip == nil else { throw .unknownSegments(update.mediaSequence..<update.firstMediaSequence) }
            guard !update.segments.isEmpty else { return ([], .stale) }
            return (begin(update, missed: isBroken ? nil : 0, wall, now), .updated)
        }
        if isCopy, let joined = join(update, to: encoder, wall, now) { return joined }
        let elapsed = elapsed(wall, now)
        if let renamed = Self.renamed(encoder.known, as: update, after: elapsed, hasNewLinks: hasNewLinks) {
            guard update.nextMediaSequence >= encoder.known.nextMediaSequence else {
                // The links of the newer playlist are still valid.
                self.encoder?.past.note(update, from: update.firstMediaSequence)
                return take(old: update, wall, now)
            }
            self.encoder?.known = renamed
            self.encoder?.past.note(renamed, from: renamed.firstMediaSequence)
        }
        let known = self.known ?? encoder.known
        let reload = try known.reloaded(with: update)
        if reload.outcome != .stale, reload.outcome != .reset, hasRestarted(update, wall, now) {
            return (begin(update, missed: nil, wall, now), .reset)
        }
        switch reload.outcome {
        case .stale: return take(old: update, wall, now)
        case .unchanged:
            updateLinks(from: known, to: reload.playlist)
            let next = reload.playlist.nextMediaSequence
            return (continueSequence(update, as: reload.playlist, from: next, missed: 0, wall, now), .unchanged)
        case .reset:
            if let rows = shift(from: known, to: update, wall, now) { return (rows, .updated) }
            if let rows = switchEncoder(update, wall, now) { return (rows, rows.isEmpty ? .stale : .updated) }
            switch encoder.past.relation(to: update, after: elapsed) {
            case .named, .same: return take(old: update, wall, now)
            case .new, .reused: return (begin(update, missed: nil, wall, now), .reset)
            }
        case .updated:
            let missed = reload.missedSegments.count
            if missed > 0 {
                // After more time, repeated names refer to other media.
                if elapsed < .nanoseconds(update.durationNanoseconds),
                    let rows = shift(from: known, to: update, wall, now)
                {
                    return (rows, .updated)
                }
                if let rows = switchEncoder(update, wall, now) { return (rows, rows.isEmpty ? .stale : .updated) }
                guard clock.hasSpace(for: missed, of: averageDuration(of: update), at: wall) else {
                    return (begin(update, missed: nil, wall, now), .reset)
                }
            }
            updateLinks(from: known, to: reload.playlist)
            return (
                continueSequence(
                    update, as: reload.playlist, from: reload.newSegments.lowerBound, missed: missed, wall, now),
                .updated
            )
        }
    }

    // MARK: - Continuation

    /// Continues the media sequence with an update, merged into a whole playlist.
    private mutating func continueSequence(
        _ update: MediaPlaylist, as playlist: MediaPlaylist, from start: Int, missed: Int, _ wall: Int64,
        _ now: Duration
    ) -> [RecordedSegment] {
        encoder?.noteDates(of: update)
        encoder?.known = playlist
        encoder?.recorded = [:]
        stale = nil
        noteDateRanges(of: playlist, from: start)
        guard start < playlist.nextMediaSequence else { return [] }
        encoder?.changed = now
        encoder?.past.note(playlist, from: start)
        return rows(start..<playlist.nextMediaSequence, of: playlist, missed: missed, wall)
    }

    /// Continues with a playlist that differs only in its media sequence numbers; returns nil for other playlists.
    private mutating func shift(
        from known: MediaPlaylist, to update: MediaPlaylist, _ wall: Int64, _ now: Duration
    ) -> [RecordedSegment]? {
        guard let shift = Self.shift(from: known, to: update) else { return nil }
        offset -= Int64(shift)
        return continueSequence(update, as: update, from: known.nextMediaSequence + shift, missed: 0, wall, now)
    }

    /// Begins a new media sequence. All its segments are new, except those that are already recorded by their dates or
    /// arrival.
    ///
    /// - Parameter missed: The number of segments missed before; nil if unknown.
    private mutating func begin(
        _ update: MediaPlaylist, missed: Int?, _ wall: Int64, _ now: Duration
    ) -> [RecordedSegment] {
        // If two encoders use the same names, it can't be determined which one continues.
        let relation = encoder?.past.relation(to: update, after: elapsed(wall, now))
        otherEncoder = relation == .new ? encoder : nil
        encoder = EncoderRun(known: update, changed: now)
        encoder?.noteDates(of: update)
        encoder?.past.note(update, from: update.firstMediaSequence)
        stale = nil
        if missed == nil { isBroken = true }
        // Names may refer to other media now.
        companions = []
        conditions = nil
        noteDateRanges(of: update, from: update.firstMediaSequence)
        return rows(update.firstMediaSequence..<update.nextMediaSequence, of: update, missed: missed, wall)
    }

    /// Follows a redundant copy from now on.
    mutating func restart(with copy: MediaPlaylist, changed: Duration?) {
        encoder = EncoderRun(known: copy, changed: changed, offset: offset, first: first)
        encoder?.noteDates(of: copy)
        encoder?.past.note(copy, from: copy.firstMediaSequence)
        (otherEncoder, stale, conditions, candidate) = (nil, nil, nil, nil)
    }

    /// Processes a playlist older than the known one, which usually comes from a cache. If no new segment has appeared
    /// for a long time and the old playlist advances, an encoder has restarted with its earlier numbers and names.
    private mutating func take(
        old update: MediaPlaylist, _ wall: Int64, _ now: Duration
    ) -> (rows: [RecordedSegment], outcome: PlaylistReload.Outcome) {
        guard !update.segments.isEmpty, let encoder else { return ([], .stale) }
        let isChanging = isAdvancing(update)
        let target = Duration.seconds(max(1, encoder.known.targetDuration ?? 1))
        let elapsed = elapsed(wall, now)
        let isNew =
            switch encoder.past.relation(to: update, after: elapsed) {
            case .same: false
            case .reused: elapsed >= target * 3 / 2
            // A restarted encoder has fewer segments; a cached copy has the usual number.
            case .named where update.segments.count >= encoder.known.segments.count:
                isChanging && elapsed >= target * 5
            case .named, .new: isChanging && elapsed >= target * 3
            }
        return isNew ? (begin(update, missed: nil, wall, now), .reset) : ([], .stale)
    }

    /// Returns whether old copies only advance, as after an encoder restart, unlike copies from alternating caches.
    private mutating func isAdvancing(_ update: MediaPlaylist) -> Bool {
        guard var copies = stale else {
            stale = StaleCopies(furthest: update)
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
            // Copies without common segments don't advance.
            if reload?.outcome == .reset, shift == nil { copies.furthest = update }
        }
        stale = copies
        return copies.advances > 1
    }

    /// Continues with the encoder followed before the restart, if two encoders alternate or the restart was a mistake.
    private mutating func switchEncoder(
        _ update: MediaPlaylist, _ wall: Int64, _ now: Duration
    ) -> [RecordedSegment]? {
        guard let otherEncoder, update.skip == nil, let changed = otherEncoder.changed,
            now - changed <= Self.alternationMemory,
            let reload = try? otherEncoder.known.reloaded(with: update), reload.missedSegments.isEmpty
        else { return nil }
        switch reload.outcome {
        case .reset: return nil
        case .stale:
            guard otherEncoder.past.relation(to: update, after: now - changed) != .reused else { return nil }
            return []
        case .unchanged, .updated:
            self.otherEncoder = encoder
            encoder = otherEncoder
            isBroken = true
            companions = []
            conditions = nil
            return continueSequence(
                update, as: reload.playlist, from: reload.newSegments.lowerBound, missed: 0, wall, now)
        }
    }

    /// Returns whether an encoder has restarted with its earlier names and is ahead of its last run. If so, the known
    /// numbers refer to media produced after all known segments, and enough time has passed to produce it.
    private func hasRestarted(_ update: MediaPlaylist, _ wall: Int64, _ now: Duration) -> Bool {
        guard let encoder, update.skip == nil else { return false }
        let known = encoder.known
        let start = max(known.firstMediaSequence, update.firstMediaSequence)
        let common = start..<max(start, min(known.nextMediaSequence, update.nextMediaSequence))
        guard let last = known.segments.last, !common.isEmpty else { return false }
        let tolerance = max(5_000_000_000, Int64(max(1, known.targetDuration ?? 1)) * 1_000_000_000)
        let elapsed = elapsed(wall, now).nanoseconds
        var time: Int64 = 0
        for sequence in common {
            time += update.segments[sequence - update.firstMediaSequence].duration.nanoseconds
            // Too little time for this much media. Checked first, because resolving many dates is slow.
            guard time <= elapsed.clampedSum(2 * tolerance) else { return false }
        }
        func date(_ playlist: MediaPlaylist, _ sequence: Int) -> Int64? {
            playlist.resolvedSegments.first { $0.mediaSequence == sequence }?.boundedDate
        }
        guard
            let lastDate = date(known, known.nextMediaSequence - 1) ?? encoder.recorded[known.nextMediaSequence - 1],
            let firstNew = date(update, common.lowerBound), let lastNew = date(update, common.upperBound - 1)
        else { return false }
        let end = lastDate.clampedSum(last.duration.nanoseconds)
        let newest = end.clampedSum(elapsed).clampedSum(tolerance)
        let own = update.segments[common.upperBound - 1 - update.firstMediaSequence].duration.nanoseconds
        return firstNew >= end - tolerance / 2 && firstNew > lastDate && lastNew.clampedSum(own) <= newest
    }

    private func elapsed(_ wall: Int64, _ now: Duration) -> Duration {
        encoder?.changed.map { now - $0 } ?? .nanoseconds(clock.elapsed(at: wall))
    }
}
