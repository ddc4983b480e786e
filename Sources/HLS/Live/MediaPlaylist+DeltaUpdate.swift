extension MediaPlaylist {
    /// A delta update with what it leaves out taken from the playlist that is known (RFC 8216bis, section 6.2.5.1).
    func filledIn(_ update: MediaPlaylist) throws(PlaylistReloadError) -> MediaPlaylist {
        guard let skip = update.skip else { return update }
        let skipped = update.mediaSequence..<max(update.mediaSequence, update.firstMediaSequence)
        guard skipped.isEmpty || sequenceRange.contains(skipped.lowerBound) && skipped.upperBound <= nextMediaSequence
        else { throw .unknownSegments(skipped) }
        let start = skipped.lowerBound &- firstMediaSequence
        let kept = skipped.isEmpty ? [] : Array(segments[start..<(start + skipped.count)])
        var whole = update
        whole.skip = nil
        whole.segments = kept + inheriting(update.segments, from: kept.last)
        whole.upcoming = update.upcoming.flatMap { inheriting([$0], from: kept.last).first }
        whole.unknownTags = update.unknownTags.isEmpty ? unknownTags : update.unknownTags
        keepDateRanges(&whole, skip)
        return whole
    }

    /// A key or map before the skip goes on to apply after it.
    private func inheriting(_ segments: [MediaSegment], from last: MediaSegment?) -> [MediaSegment] {
        guard let conditions = last?.conditions else { return segments }
        return segments.map { segment in
            var segment = segment
            if segment.conditions == nil {
                segment.share(conditions)
            } else {
                if segment.keys.isEmpty { segment.keys = conditions.keys }
                if segment.map == nil { segment.map = conditions.map }
            }
            return segment
        }
    }

    /// A delta update that may leave out date ranges names those that were removed; the others stay.
    private func keepDateRanges(_ whole: inout MediaPlaylist, _ skip: SkippedSegments) {
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
