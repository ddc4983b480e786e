/// The result of reloading a live media playlist (RFC 8216bis §6.3.4).
public struct PlaylistReload: Sendable, Hashable {
    /// The relation of a loaded playlist to the previous one.
    public enum Outcome: Sendable, Hashable {
        /// The playlist has changed.
        case updated
        /// The playlist hasn't changed.
        case unchanged
        /// The loaded playlist is empty, or older than the previous one, which remains valid.
        case stale
        /// The media sequence restarted. The loaded playlist shares no segments with the previous one.
        case reset
    }

    /// A partial segment and its position.
    public struct PositionedPart: Sendable, Hashable {
        /// The media sequence number of the segment that the part belongs to.
        public var mediaSequence: Int
        /// The index of the part within its segment, from 0.
        public var index: Int
        /// The part.
        public var part: PartialSegment
        /// The byte range of the part; nil for a whole resource.
        public var byteRange: Range<Int>?
    }

    /// The relation of the loaded playlist to the previous one.
    public var outcome: Outcome
    /// The playlist after the reload, including the segments that a delta update skipped.
    public var playlist: MediaPlaylist
    /// The media sequence numbers of segments that weren't in the previous playlist.
    public var newSegments: Range<Int>
    /// The media sequence numbers of segments that are no longer in the playlist.
    public var removedSegments: Range<Int>
    /// The media sequence numbers of segments that were added and removed between the two loads.
    public var missedSegments: Range<Int>
    /// The partial segments that weren't in the previous playlist, in order.
    public var newParts: [PositionedPart]
    /// The IDs of date ranges that are no longer in the playlist.
    public var removedDateRanges: [String]

    /// Whether no more segments will be added.
    public var hasEnded: Bool { playlist.hasEndList }
}

/// An error from reloading a media playlist.
public enum PlaylistReloadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A delta update skips segments with these media sequence numbers, but the previous playlist lacks some of them.
    /// The client has to load the full playlist (RFC 8216bis §6.3.7).
    case unknownSegments(Range<Int>)

    /// A sentence that describes the error.
    public var description: String {
        switch self {
        case .unknownSegments(let range):
            "The delta update skips segments \(range.lowerBound) to \(range.upperBound - 1), but the previous playlist "
                + "doesn't contain all of them. Load the full playlist."
        }
    }
}

extension MediaPlaylist {
    /// Returns the result of updating this playlist with a newly loaded one, which is complete or a delta update.
    ///
    /// Segments with equal media sequence numbers are compared by their URIs without queries and by the lengths of
    /// their byte ranges. If none of them match, or if all segments of the update precede this playlist, the server
    /// restarted the media sequence.
    ///
    /// If no segments were missed, values that the server omits are derived from this playlist: the discontinuity
    /// sequence number, and the time of the first segment if no segment of the update has one.
    ///
    /// - Throws: ``PlaylistReloadError`` if a delta update skips segments that this playlist doesn't contain.
    public func reloaded(with update: MediaPlaylist) throws(PlaylistReloadError) -> PlaylistReload {
        if update.segments.isEmpty, update.upcoming == nil, update.skip == nil, !segments.isEmpty {
            return update.hasEndList && !hasEndList ? ended() : unchanged(.stale)
        }
        let update = try fillingSkippedSegments(of: update)
        switch relation(to: update) {
        case .reset:
            return PlaylistReload(
                outcome: .reset, playlist: update, newSegments: update.sequenceRange, removedSegments: sequenceRange,
                missedSegments: 0..<0, newParts: update.parts(after: nil),
                removedDateRanges: removedDateRanges(in: update))
        case .stale:
            return unchanged(.stale)
        case .unchanged, .updated:
            return applying(update)
        }
    }

    var sequenceRange: Range<Int> { firstMediaSequence..<nextMediaSequence }

    private func unchanged(_ outcome: PlaylistReload.Outcome) -> PlaylistReload {
        PlaylistReload(
            outcome: outcome, playlist: self, newSegments: nextMediaSequence..<nextMediaSequence,
            removedSegments: 0..<0, missedSegments: 0..<0, newParts: [], removedDateRanges: [])
    }

    private func ended() -> PlaylistReload {
        var reload = unchanged(.updated)
        reload.playlist.hasEndList = true
        return reload
    }

    // MARK: - Comparing playlists

    private func relation(to update: MediaPlaylist) -> PlaylistReload.Outcome {
        if segments.isEmpty { return update == self ? .unchanged : .updated }
        let overlap = sequenceRange.clamped(to: update.sequenceRange)
        guard !overlap.isEmpty else { return update.firstMediaSequence >= nextMediaSequence ? .updated : .reset }
        let isSame = overlap.contains { isSameMedia(segment(at: $0), update.segment(at: $0)) }
        guard isSame else { return .reset }
        if update.nextMediaSequence < nextMediaSequence { return .stale }
        if update.nextMediaSequence == nextMediaSequence {
            let previousParts = upcoming?.parts.count ?? 0
            if (update.upcoming?.parts.count ?? 0) < previousParts || update.firstMediaSequence < firstMediaSequence {
                return .stale
            }
        }
        return .updated
    }

    func segment(at mediaSequence: Int) -> MediaSegment? {
        let index = mediaSequence &- firstMediaSequence
        return segments.indices.contains(index) ? segments[index] : nil
    }

    /// Returns whether the byte ranges have the same length and the URIs are equal without queries, which may change.
    private func isSameMedia(_ left: MediaSegment?, _ right: MediaSegment?) -> Bool {
        guard let left, let right, left.byteRange?.length == right.byteRange?.length else { return false }
        return left.uri == right.uri
            || left.uri.utf8.prefix { $0 != .question }.elementsEqual(right.uri.utf8.prefix { $0 != .question })
    }

    // MARK: - Merging playlists

    private func applying(_ update: MediaPlaylist) -> PlaylistReload {
        var merged = update
        let first = update.firstMediaSequence
        let missed = segments.isEmpty ? 0..<0 : nextMediaSequence..<max(nextMediaSequence, first)
        if missed.isEmpty, !segments.isEmpty {
            continueDiscontinuitySequence(in: &merged)
            continueClock(in: &merged)
        }
        let start = segments.isEmpty ? first : max(nextMediaSequence, first)
        return PlaylistReload(
            outcome: merged == self ? .unchanged : .updated, playlist: merged,
            newSegments: start..<max(start, update.nextMediaSequence),
            removedSegments: firstMediaSequence..<min(max(first, firstMediaSequence), nextMediaSequence),
            missedSegments: missed, newParts: update.parts(after: self),
            removedDateRanges: removedDateRanges(in: update))
    }

    /// Sets the discontinuity sequence number if the server omits it, by counting the removed discontinuities (RFC
    /// 8216bis §6.2.2).
    private func continueDiscontinuitySequence(in update: inout MediaPlaylist) {
        guard update.discontinuitySequence == 0 else { return }
        let removed = max(0, update.firstMediaSequence.addingClamped(-max(firstMediaSequence, -.max)))
        let count = segments.prefix(removed).filter(\.isDiscontinuous).count
        update.discontinuitySequence = discontinuitySequence.addingClamped(count)
    }

    /// Derives the time of the first segment from this playlist if no segment of the update declares a time.
    private func continueClock(in update: inout MediaPlaylist) {
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
        let remaining = Set(update.dateRanges.map(\.id))
        var removed: Set<String> = []
        return dateRanges.map(\.id).filter { !remaining.contains($0) && removed.insert($0).inserted }
    }

    private func parts(after previous: MediaPlaylist?) -> [PlaylistReload.PositionedPart] {
        var placed: [PlaylistReload.PositionedPart] = []
        var ranges = PartByteRanges()
        for (offset, segment) in (segments + (upcoming.map { [$0] } ?? [])).enumerated() where !segment.tags.isEmpty {
            let sequence = firstMediaSequence.addingClamped(offset)
            // The range of a new part may begin at the end of a known part's range.
            let parts = segment.parts.map { ($0, ranges.next($0)) }
            var start = 0
            if let previous, !previous.segments.isEmpty || previous.upcoming != nil {
                // The parts of a segment that was already complete aren't needed.
                if sequence < previous.nextMediaSequence { continue }
                if sequence == previous.nextMediaSequence { start = previous.upcoming?.parts.count ?? 0 }
            }
            for (index, (part, range)) in parts.enumerated() where index >= start {
                placed.append(.init(mediaSequence: sequence, index: index, part: part, byteRange: range))
            }
        }
        return placed
    }
}

extension MediaPlaylist {
    /// Returns an update with its skipped segments filled in from this playlist (RFC 8216bis §6.2.5.1).
    private func fillingSkippedSegments(of update: MediaPlaylist) throws(PlaylistReloadError) -> MediaPlaylist {
        guard let skip = update.skip else { return update }
        let skipped = update.mediaSequence..<max(update.mediaSequence, update.firstMediaSequence)
        guard skipped.isEmpty || sequenceRange.contains(skipped.lowerBound) && skipped.upperBound <= nextMediaSequence
        else { throw .unknownSegments(skipped) }
        let start = skipped.lowerBound &- firstMediaSequence
        let skippedSegments = skipped.isEmpty ? [] : Array(segments[start..<(start + skipped.count)])
        var whole = update
        whole.skip = nil
        whole.segments = skippedSegments + inheriting(update.segments, from: skippedSegments.last)
        whole.upcoming = update.upcoming.flatMap { inheriting([$0], from: skippedSegments.last).first }
        whole.unknownTags = update.unknownTags.isEmpty ? unknownTags : update.unknownTags
        mergeDateRanges(into: &whole, skip)
        return whole
    }

    /// Returns segments that inherit the keys and the map of the last skipped segment unless they have their own. Their
    /// maps inherit the keys if no key tag of the update precedes them; a tag with the method NONE is a key as well.
    private func inheriting(_ segments: [MediaSegment], from last: MediaSegment?) -> [MediaSegment] {
        guard let conditions = last?.conditions else { return segments }
        return segments.map { segment in
            var segment = segment
            if segment.conditions == nil {
                segment.conditions = conditions
            } else {
                if segment.keys.isEmpty { segment.keys = conditions.keys }
                if segment.map == nil {
                    segment.map = conditions.map
                } else if segment.map?.keys.isEmpty == true {
                    segment.map?.keys = conditions.keys
                }
            }
            return segment
        }
    }

    /// Removes the date ranges that the update lists as removed. If the server may skip date ranges, adds the ranges of
    /// this playlist that are absent from the update.
    private func mergeDateRanges(into whole: inout MediaPlaylist, _ skip: SkippedSegments) {
        let removed = Set(skip.recentlyRemovedDateRanges)
        for index in whole.segments.indices where !whole.segments[index].tags.isEmpty {
            whole.segments[index].tags.removeAll { tag in
                if case .dateRange(let range) = tag { removed.contains(range.id) } else { false }
            }
        }
        guard serverControl?.canSkipDateRanges == true, !whole.segments.isEmpty else { return }
        let present = Set(whole.dateRanges.map(\.id))
        let absent = dateRanges.filter { !present.contains($0.id) && !removed.contains($0.id) }
        whole.segments[0].tags.insert(contentsOf: absent.map { .dateRange($0) }, at: 0)
    }
}
