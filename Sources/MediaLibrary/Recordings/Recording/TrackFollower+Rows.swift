import HLS
internal import MediaCache

extension TrackFollower {
    /// The maximum number of gap rows for one loss.
    private static let maximumGaps = 100_000
    /// The maximum number of date ranges that wait for a row.
    private static let maximumDateRanges = 1000
    /// The maximum time, in nanoseconds, by which a segment's assumed arrival precedes the load of its playlist.
    private static let maximumPlaylistDuration: Int64 = 30 * 86_400_000_000_000

    /// Returns the rows of new segments, preceded by gap rows for missed ones.
    ///
    /// - Parameter missed: The number of segments missed before the first one; nil if unknown.
    mutating func rows(
        _ new: Range<Int>, of playlist: MediaPlaylist, missed: Int?, _ wall: Int64
    ) -> [RecordedSegment] {
        guard !new.isEmpty else { return [] }
        let target = max(1, playlist.targetDuration ?? playlist.segments.last?.duration.roundedUp ?? 1)
        let resolved = Array(playlist.resolvedSegments)
        let total = resolved.last.map { $0.startNanoseconds &+ $0.segment.duration.nanoseconds } ?? 0
        // Computed once, since this takes time proportional to the playlist's length.
        let lost = TimelineClock.product(missed ?? 0, averageDuration(of: playlist))
        var rows: [RecordedSegment] = []
        let times = resolved.map { segment in
            TimelineClock.Segment(
                programDateTime: isDated ? segment.boundedDate : nil,
                arrival: wall - min(max(0, total &- segment.startNanoseconds), Self.maximumPlaylistDuration),
                duration: segment.segment.duration.nanoseconds)
        }
        let end = new.upperBound - playlist.firstMediaSequence
        var start = new.lowerBound - playlist.firstMediaSequence
        if isBroken { start += clock.recorded(of: Array(times[start..<end])) }
        for (segment, time) in zip(resolved[start..<end], times[start..<end]) {
            let isFirst = rows.isEmpty
            let isBreak = isFirst && clock.end != nil && (missed != 0 || isBroken)
            let before = clock.end
            var time = time
            if isBreak { time.missing = (missed ?? 0) > 0 && !isBroken ? .time(lost) : .unknown }
            let start = clock.place(time, otherLag: otherLag)
            let arrival = min(wall, time.arrival.clampedSum(time.duration))
            var step = DiscontinuityNumbers.Step.next
            if isBreak, let before {
                rows += gaps(
                    from: min(before, start), to: start, missed: missed ?? 0, target: target, before: segment,
                    arrival: arrival)
                step = isBroken ? .unknown : .missed(missed ?? 0)
            }
            let discontinuities = countDiscontinuities(
                before: segment, start: start, step, gaps: isFirst ? rows.count : 0)
            if isFirst, discontinuities > 1 {
                for index in rows.indices.prefix(discontinuities - 1) { rows[index].isDiscontinuous = true }
            }
            var row = row(segment, start: start, target: target, isDiscontinuous: discontinuities > 0)
            row.arrival = arrival
            if time.programDateTime == nil { row.clockLag = (clock.lag ?? 0) / 1_000_000 * 1_000_000 }
            row.isIndependent = playlist.hasIndependentSegments
            if isFirst, !pendingDateRanges.isEmpty {
                row.tags = pendingDateRanges.filter { !row.tags.contains($0) } + row.tags
                pendingDateRanges = []
            }
            if isBreak { first = row.number }
            isBroken = false
            rows.append(row)
        }
        return rows
    }

    /// Notes the date ranges of a playlist. New or changed date ranges outside new segments are added to the next row.
    ///
    /// - Parameter start: The media sequence number of the first new segment.
    mutating func noteDateRanges(of playlist: MediaPlaylist, from start: Int) {
        var present: Set<String> = []
        func note(_ tags: [SegmentTag], isNew: Bool) {
            for tag in tags {
                guard case .dateRange = tag, let text = tag.recordedText, present.insert(text).inserted, !isNew,
                    !dateRanges.contains(text), !pendingDateRanges.contains(text),
                    pendingDateRanges.count < Self.maximumDateRanges
                else { continue }
                pendingDateRanges.append(text)
            }
        }
        for (index, segment) in playlist.segments.enumerated() where !segment.tags.isEmpty {
            note(segment.tags, isNew: playlist.firstMediaSequence + index >= start)
        }
        note(playlist.upcoming?.tags ?? [], isNew: false)
        dateRanges = present
    }

    func averageDuration(of playlist: MediaPlaylist) -> Int64 {
        playlist.durationNanoseconds / Int64(max(1, playlist.segments.count))
    }

    /// Returns gap rows for the time of lost segments.
    private mutating func gaps(
        from start: Int64, to end: Int64, missed: Int, target: Int, before segment: ResolvedSegment, arrival: Int64
    ) -> [RecordedSegment] {
        let time = end - start
        let length = Int64(target) * 1_000_000_000
        var count = missed
        if count == 0 || time / Int64(count) > length * 3 / 2 || time / Int64(count) < length / 8 {
            count = time < length / 2 && missed == 0 ? 0 : max(1, Int((time + length - 1) / length))
        }
        count = min(count, Self.maximumGaps)
        guard count > 0 else { return [] }
        // Quotient and remainder are used, because the product of a long time and a count could overflow.
        let (each, rest) = time.quotientAndRemainder(dividingBy: Int64(count))
        return (0..<count).map { index in
            let lower = start + each * Int64(index) + min(rest, Int64(index))
            let upper = start + each * Int64(index + 1) + min(rest, Int64(index + 1))
            let sequence = segment.mediaSequence - count + index
            var row = RecordedSegment(
                number: takeNumber(sequence), start: lower, duration: upper - lower, targetDuration: target,
                state: .gap)
            row.originSequence = sequence
            // The expected arrival, relative to that of the following segment.
            row.arrival = arrival.clampedSum(upper - end - segment.segment.duration.nanoseconds)
            return row
        }
    }

    /// Returns the next row number. The first one is the origin's, so that keys without a vector stay valid.
    private mutating func takeNumber(_ sequence: Int) -> Int64 {
        let number = next ?? ((0..<(1 << 40)).contains(sequence) ? Int64(sequence) : 0)
        next = number + 1
        return number
    }

    private mutating func row(
        _ resolved: ResolvedSegment, start: Int64, target: Int, isDiscontinuous: Bool
    ) -> RecordedSegment {
        let segment = resolved.segment
        let isFirst = next == nil
        let number = takeNumber(resolved.mediaSequence)
        if isFirst { first = number }
        offset = number - Int64(resolved.mediaSequence)
        var row = RecordedSegment(
            number: number, start: start, duration: segment.duration.nanoseconds, targetDuration: target,
            state: segment.isGap ? .gap : .awaited)
        row.isDiscontinuous = isDiscontinuous
        row.originDiscontinuity = Int64(resolved.discontinuitySequence)
        row.originSequence = resolved.mediaSequence
        row.url = segment.uri
        row.scope = scope
        row.range = resolved.byteRange.map { Int64($0.lowerBound)..<Int64($0.upperBound) }
        row.tags = segment.tags.compactMap(\.recordedText)
        guard !segment.isGap else { return row }
        guard let url = try? ResourceURL(segment.uri) else {
            row.state = .gap
            return row
        }
        row.fileExtension = AssetPartNaming.fileExtension(of: url, hasMap: segment.map != nil, folder: folder)
        if isDiscontinuous { forgetSections() }
        row.conditions = localConditions(resolved, isAligned: number == Int64(resolved.mediaSequence))
        return row
    }

    // MARK: - Present rows

    /// Returns the playlist's segment for a row; nil if the playlist no longer lists it.
    func listedSegment(_ row: RecordedSegment) -> MediaSegment? {
        guard let known, row.number >= first else { return nil }
        let place = row.number - offset - Int64(known.firstMediaSequence)
        return known.segments.indices.contains(Int(place)) ? known.segments[Int(place)] : nil
    }
}
