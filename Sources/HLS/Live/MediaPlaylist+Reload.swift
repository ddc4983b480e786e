extension MediaPlaylist {
    /// Applies a reload to what is known: a pure function.
    ///
    /// Media sequence numbers tell which segments are the same; where none of those has the same URI, the server began
    /// anew. A playlist whose only program date-time left the window keeps its clock: the first segment gets the time
    /// that is implied.
    ///
    /// - Parameter update: the playlist as it was loaded now, whole or a delta update.
    /// - Throws: ``PlaylistReloadError``: a delta update leaves out what isn't known.
    public func reloaded(with update: MediaPlaylist) throws(PlaylistReloadError) -> PlaylistReload {
        if update.segments.isEmpty, update.upcoming == nil, update.skip == nil, !segments.isEmpty {
            return update.hasEndList && !hasEndList ? ended() : keeping(.stale)
        }
        var update = update
        let isDelta = update.skip != nil
        if isDelta { update = try filledIn(update) }
        switch relation(to: update) {
        case .reset:
            return PlaylistReload(
                outcome: .reset, playlist: update, newSegments: update.sequenceRange, removedSegments: sequenceRange,
                missedSegments: 0..<0, newParts: update.parts(after: nil),
                removedDateRanges: removedDateRanges(in: update))
        case .stale:
            return keeping(.stale)
        case .unchanged, .updated:
            return applying(update)
        }
    }

    /// The media sequence numbers of ``segments``.
    var sequenceRange: Range<Int> { firstMediaSequence..<nextMediaSequence }

    private func keeping(_ outcome: PlaylistReload.Outcome) -> PlaylistReload {
        PlaylistReload(
            outcome: outcome, playlist: self, newSegments: nextMediaSequence..<nextMediaSequence,
            removedSegments: 0..<0, missedSegments: 0..<0, newParts: [], removedDateRanges: [])
    }

    private func ended() -> PlaylistReload {
        var reload = keeping(.updated)
        reload.playlist.hasEndList = true
        return reload
    }

    // MARK: - Which playlist is newer

    private func relation(to update: MediaPlaylist) -> PlaylistReload.Outcome {
        if segments.isEmpty { return update == self ? .unchanged : .updated }
        let overlap = sequenceRange.clamped(to: update.sequenceRange)
        guard !overlap.isEmpty else { return update.firstMediaSequence >= nextMediaSequence ? .updated : .reset }
        let isSame = overlap.contains { isSameMedia(segment(at: $0), update.segment(at: $0)) }
        guard isSame else { return .reset }
        if update.nextMediaSequence < nextMediaSequence { return .stale }
        if update.nextMediaSequence == nextMediaSequence {
            let known = upcoming?.parts.count ?? 0
            if (update.upcoming?.parts.count ?? 0) < known || update.firstMediaSequence < firstMediaSequence {
                return .stale
            }
        }
        return .updated
    }

    func segment(at mediaSequence: Int) -> MediaSegment? {
        let index = mediaSequence &- firstMediaSequence
        return segments.indices.contains(index) ? segments[index] : nil
    }

    /// Queries are left out: servers put fresh tokens there.
    private func isSameMedia(_ left: MediaSegment?, _ right: MediaSegment?) -> Bool {
        guard let left, let right else { return false }
        if left.uri == right.uri { return left.byteRange?.length == right.byteRange?.length }
        return left.uri.utf8.prefix { $0 != .question }.elementsEqual(right.uri.utf8.prefix { $0 != .question })
            && left.byteRange?.length == right.byteRange?.length
    }

    // MARK: - Applying

    private func applying(_ update: MediaPlaylist) -> PlaylistReload {
        var merged = update
        let first = update.firstMediaSequence
        let missed = segments.isEmpty ? 0..<0 : nextMediaSequence..<max(nextMediaSequence, first)
        if missed.isEmpty, !segments.isEmpty {
            keepDiscontinuitySequence(&merged)
            keepClock(&merged)
        }
        let start = segments.isEmpty ? first : max(nextMediaSequence, first)
        return PlaylistReload(
            outcome: merged == self ? .unchanged : .updated, playlist: merged,
            newSegments: start..<max(start, update.nextMediaSequence),
            removedSegments: firstMediaSequence..<min(max(first, firstMediaSequence), nextMediaSequence),
            missedSegments: missed, newParts: update.parts(after: self),
            removedDateRanges: removedDateRanges(in: update))
    }

    /// A server that removes a discontinuity has to count it (section 6.2.2); where it says nothing, we count.
    private func keepDiscontinuitySequence(_ update: inout MediaPlaylist) {
        guard update.discontinuitySequence == 0 else { return }
        let removed = max(0, update.firstMediaSequence.addingClamped(-max(firstMediaSequence, -.max)))
        let count = segments.prefix(removed).filter(\.isDiscontinuous).count
        update.discontinuitySequence = discontinuitySequence.addingClamped(count)
    }

    private func keepClock(_ update: inout MediaPlaylist) {
        let hasClock = update.segments.contains { $0.programDateTime?.nanosecondsSinceEpoch != nil }
        guard !hasClock, !update.segments.isEmpty else { return }
        let index = update.firstMediaSequence &- firstMediaSequence
        var clock: Int64?
        for (offset, resolved) in resolvedSegments.enumerated() where offset <= index {
            let start = resolved.programDateTime?.nanosecondsSinceEpoch
            clock = offset == index ? start : start.map { $0 &+ resolved.segment.duration.nanoseconds }
        }
        guard let clock else { return }
        update.segments[0].programDateTime = DateTime(nanosecondsSinceEpoch: clock)
    }

    private func removedDateRanges(in update: MediaPlaylist) -> [String] {
        let kept = Set(update.dateRanges.map(\.id))
        var seen: Set<String> = []
        return dateRanges.map(\.id).filter { !kept.contains($0) && seen.insert($0).inserted }
    }

    /// The parts that another version of the playlist doesn't have.
    private func parts(after known: MediaPlaylist?) -> [PlaylistReload.PlacedPart] {
        var placed: [PlaylistReload.PlacedPart] = []
        var ranges = PartByteRanges()
        for (offset, segment) in (segments + (upcoming.map { [$0] } ?? [])).enumerated() where !segment.tags.isEmpty {
            let sequence = firstMediaSequence.addingClamped(offset)
            // Also of parts that are known: later ones may go on where they end.
            let parts = segment.parts.map { ($0, ranges.next($0)) }
            var start = 0
            if let known, !known.segments.isEmpty || known.upcoming != nil {
                // The parts of a segment that was whole are of no use any more.
                if sequence < known.nextMediaSequence { continue }
                if sequence == known.nextMediaSequence { start = known.upcoming?.parts.count ?? 0 }
            }
            for (index, (part, range)) in parts.enumerated() where index >= start {
                placed.append(.init(mediaSequence: sequence, index: index, part: part, byteRange: range))
            }
        }
        return placed
    }
}
