import HLS
internal import MediaCache

/// Continuation with a redundant copy of a playlist.
///
/// Copies have the same content with the same dates (RFC 8216bis §6.2.4). Their media sequence numbers are unrelated
/// (§4.4.3.2), so segments are matched by EXT-X-PROGRAM-DATE-TIME, otherwise by file name and duration. If copies share
/// neither, a copy is assumed to end at the current time when a new segment appears in it.
extension TrackFollower {
    /// The position at which a copy continues the recorded segments.
    private enum JoinPosition {
        /// The copy lists the last known segment, at the given index.
        case match(Int)
        /// The index of the copy's first unknown segment. Media may be missing before it.
        case next(Int, isContiguous: Bool)
        /// The copy ends before the known segments do.
        case behind
    }

    /// Continues with a copy of the known playlist.
    ///
    /// - Returns: Nil if the playlist isn't another copy. The outcome is `stale` if the copy is behind the known one.
    mutating func join(
        _ update: MediaPlaylist, to encoder: EncoderRun, _ wall: Int64, _ now: Duration
    ) -> (rows: [RecordedSegment], outcome: PlaylistReload.Outcome)? {
        let known = encoder.known
        let names = Set(known.segments.map(\.uri.path))
        guard !update.segments.isEmpty, let last = known.segments.last else { return ([], .stale) }
        guard !update.segments.contains(where: { names.contains($0.uri.path) }) else { return nil }
        let dates = Dates(of: known, recorded: encoder.recorded)
        let updated = update.resolvedSegments.map(\.boundedDate)
        let position: JoinPosition
        if let lastDate = dates.last, updated.contains(where: { $0 != nil }) {
            position = Self.position(after: lastDate, duration: last.duration.nanoseconds, updated)
        } else if let index = update.segments.lastIndex(where: { Self.isNamed($0, like: last) }) {
            position = .match(index)
        } else if let newest = update.segments.last, known.segments.contains(where: { Self.isNamed(newest, like: $0) })
        {
            position = .behind
        } else {
            position = arrivalPosition(update, wall)
        }
        let first: Int
        switch position {
        case .behind: return ([], .stale)
        case .match(let index):
            align(update, at: index, updated, with: known, dates)
            first = index + 1
        case .next(let index, let isContiguous):
            if !isContiguous { isBroken = true }
            first = index
        }
        restart(with: update, changed: first < update.segments.count ? now : encoder.changed)
        noteDateRanges(of: update, from: update.firstMediaSequence + first)
        let new = update.firstMediaSequence + first..<update.nextMediaSequence
        let before = next
        let rows = rows(new, of: update, missed: isBroken ? nil : 0, wall)
        // Rows before the first new one aren't in this copy unless they were aligned with it.
        if case .next = position, let before { self.first = rows.first { !$0.url.isEmpty }?.number ?? before }
        return (rows, rows.isEmpty ? .unchanged : .updated)
    }

    /// The starts of a playlist's segments, in nanoseconds since 1970; nil for segments without a date.
    private struct Dates {
        var dates: [Int64?]
        var last: Int64? { dates.last ?? nil }

        init(of playlist: MediaPlaylist, recorded: [Int: Int64]) {
            dates = playlist.resolvedSegments.map { $0.boundedDate ?? recorded[$0.mediaSequence] }
        }
    }

    private static func position(after last: Int64, duration: Int64, _ dates: [Int64?]) -> JoinPosition {
        if let index = dates.lastIndex(where: { $0.map { abs($0 - last) <= duration / 4 } ?? false }) {
            return .match(index)
        }
        // The copy's segment boundaries differ, so the nearest one is used.
        let end = last.clampedSum(duration)
        guard let index = dates.firstIndex(where: { $0.map { $0 >= end - duration / 2 } ?? false }),
            let date = dates[index]
        else { return .behind }
        return .next(index, isContiguous: date - end <= duration / 2)
    }

    /// Returns the position of a copy that shares neither dates nor names with the known playlist.
    private mutating func arrivalPosition(_ update: MediaPlaylist, _ wall: Int64) -> JoinPosition {
        // A copy that doesn't change may have ended long ago.
        let newest = candidate?.segments.last?.uri
        candidate = update
        guard let newest, update.segments.dropLast().contains(where: { $0.uri == newest }) else { return .behind }
        guard let end = clock.end else { return .next(0, isContiguous: false) }
        let total = update.durationNanoseconds
        var start: Int64 = 0
        for (index, segment) in update.segments.enumerated() {
            let duration = segment.duration.nanoseconds
            if wall.clampedSum(start - total) >= end - duration / 2 { return .next(index, isContiguous: false) }
            start = start.clampedSum(duration)
        }
        return .behind
    }

    private static func isNamed(_ left: MediaSegment, like right: MediaSegment) -> Bool {
        left.uri.fileName(withQuery: false) == right.uri.fileName(withQuery: false) && isAlike(left, right)
    }

    /// Maps the copy's segments to the numbers of the corresponding rows.
    private mutating func align(
        _ update: MediaPlaylist, at index: Int, _ updated: [Int64?], with known: MediaPlaylist, _ dates: Dates
    ) {
        let lastNumber = Int64(known.nextMediaSequence - 1) + offset
        var count = 1
        while count <= index, count < known.segments.count, lastNumber - Int64(count) >= first {
            let (place, own) = (index - count, known.segments.count - 1 - count)
            if let new = updated[place], let old = dates.dates[own] {
                guard abs(new - old) <= known.segments[own].duration.nanoseconds / 4 else { break }
            } else if !Self.isNamed(update.segments[place], like: known.segments[own]) {
                break
            }
            count += 1
        }
        first = lastNumber - Int64(count - 1)
        offset = lastNumber - Int64(update.firstMediaSequence + index)
    }
}
