import HLS
internal import MediaCache

/// Rows of what is new.
extension TrackFollower {
    /// The most gaps that stand for one loss.
    private static let mostGaps = 100_000
    /// What a playlist's last segment may be behind its first at most, for what is in it to be placed by its coming.
    private static let longestPlaylist: Int64 = 30 * 86_400_000_000_000

    /// - Parameter missed: how many segments were never seen before the first of these; nil where nobody knows.
    mutating func rows(
        _ new: Range<Int>, of playlist: MediaPlaylist, missed: Int?, _ wall: Int64, _ shared: inout [Int: Int64]
    ) -> [RecordedSegment] {
        guard !new.isEmpty else { return [] }
        let target = max(1, playlist.targetDuration ?? playlist.segments.last?.duration.roundedUp ?? 1)
        let resolved = Array(playlist.resolvedSegments)
        let total = resolved.last.map { $0.startNanoseconds &+ $0.segment.duration.nanoseconds } ?? 0
        // Once: it takes as long as the playlist is.
        let lost = TimelineClock.product(missed ?? 0, averageDuration(of: playlist))
        var rows: [RecordedSegment] = []
        for segment in resolved where new.contains(segment.mediaSequence) {
            let isFirst = rows.isEmpty
            let isBreak = isFirst && clock.end != nil && (missed != 0 || isBroken)
            let before = clock.end
            let start = clock.place(
                TimelineClock.Segment(
                    programDateTime: segment.programDateTime?.nanosecondsSinceEpoch,
                    arrival: wall - min(max(0, total &- segment.startNanoseconds), Self.longestPlaylist),
                    duration: segment.segment.duration.nanoseconds,
                    missing: isBreak ? (missed ?? 0) > 0 && !isBroken ? .time(lost) : .unknown : nil),
                shared: shared[segment.mediaSequence])
            shared[segment.mediaSequence] = start
            if isBreak, let before {
                rows += gaps(from: before, to: start, missed: missed ?? 0, target: target, before: segment)
            }
            var row = row(segment, start: start, target: target)
            if isBreak { first = row.number }
            if isBroken, before != nil { row.isDiscontinuous = true }
            isBroken = false
            rows.append(row)
        }
        forget(&shared)
        return rows
    }

    func averageDuration(of playlist: MediaPlaylist) -> Int64 {
        playlist.durationNanoseconds / Int64(max(1, playlist.segments.count))
    }

    /// Times of segments long gone are of no use.
    private func forget(_ shared: inout [Int: Int64]) {
        guard shared.count > 4 * Self.tailLength else { return }
        let kept = shared.sorted { $0.value > $1.value }.prefix(2 * Self.tailLength)
        shared = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }

    /// What was lost, as so many segments that aren't there.
    private mutating func gaps(
        from start: Int64, to end: Int64, missed: Int, target: Int, before segment: ResolvedSegment
    ) -> [RecordedSegment] {
        let time = end - start
        let length = Int64(target) * 1_000_000_000
        var count = missed
        if count == 0 || time / Int64(count) > length * 3 / 2 || time / Int64(count) < length / 8 {
            count = time < length / 2 && missed == 0 ? 0 : max(1, Int((time + length - 1) / length))
        }
        count = min(count, Self.mostGaps)
        guard count > 0 else { return [] }
        // By quotient and remainder: the product of a long time and a count would leave 64 bits.
        let (each, rest) = time.quotientAndRemainder(dividingBy: Int64(count))
        return (0..<count).map { index in
            let lower = start + each * Int64(index) + min(rest, Int64(index))
            let upper = start + each * Int64(index + 1) + min(rest, Int64(index + 1))
            let sequence = segment.mediaSequence - count + index
            var row = RecordedSegment(
                number: takeNumber(sequence), start: lower, duration: upper - lower, targetDuration: target,
                state: .gap)
            row.originSequence = sequence
            return row
        }
    }

    /// The first number is the origin's, so that keys without vectors keep theirs.
    private mutating func takeNumber(_ sequence: Int) -> Int64 {
        let number = next ?? ((0..<(1 << 40)).contains(sequence) ? Int64(sequence) : 0)
        next = number + 1
        return number
    }

    private mutating func row(_ resolved: ResolvedSegment, start: Int64, target: Int) -> RecordedSegment {
        let segment = resolved.segment
        let isFirst = next == nil
        let number = takeNumber(resolved.mediaSequence)
        if isFirst { first = number }
        offset = number - Int64(resolved.mediaSequence)
        var row = RecordedSegment(
            number: number, start: start, duration: segment.duration.nanoseconds, targetDuration: target,
            state: segment.isGap ? .gap : .awaited)
        row.isDiscontinuous = segment.isDiscontinuous
        row.originSequence = resolved.mediaSequence
        row.url = segment.uri
        row.range = resolved.byteRange.map { Int64($0.lowerBound)..<Int64($0.upperBound) }
        row.tags = segment.tags.compactMap(Self.text)
        guard !segment.isGap else { return row }
        guard let url = try? ResourceURL(segment.uri) else {
            row.state = .gap
            return row
        }
        row.ending = LocalNames.ending(of: url, hasMap: segment.map != nil, folder: folder)
        row.conditions = localConditions(resolved, isAligned: number == Int64(resolved.mediaSequence))
        return row
    }

    private static func text(_ tag: SegmentTag) -> String? {
        guard !LocalTags.isLeftOut(tag) else { return nil }
        return switch tag {
        case .dateRange(let range): "\(PlaylistTag.dateRange.rawValue):\(range.attributes)"
        case .cue(let cue): cue.tag.rawValue + (cue.value.map { ":" + $0 } ?? "")
        case .unknown(let tag): tag.name + (tag.value.map { ":" + $0 } ?? "")
        case .programDateTime, .bitrate, .part, .durationParameters: nil
        }
    }

    // MARK: - Rows that are there

    /// What the playlist has of a row now; nil where it has left it.
    func present(_ row: RecordedSegment) -> MediaSegment? {
        guard let known, row.number >= first else { return nil }
        let place = row.number - offset - Int64(known.firstMediaSequence)
        return known.segments.indices.contains(Int(place)) ? known.segments[Int(place)] : nil
    }

    /// Whether a row's name is in the playlist, and means another segment there.
    ///
    /// - Parameter names: ``names``, made once for all that are asked about.
    func isReused(_ row: RecordedSegment, among names: Set<String>) -> Bool {
        guard present(row) == nil else { return false }
        return names.contains(Self.name(row.url, row.range?.lowerBound))
    }

    /// What the playlist's segments are called, and the slices of files among them.
    var names: Set<String> {
        var names: Set<String> = []
        for segment in known?.segments ?? [] {
            names.insert(Self.name(segment.uri, nil))
            if let offset = segment.byteRange?.offset { names.insert(Self.name(segment.uri, Int64(offset))) }
        }
        return names
    }

    private static func name(_ url: String, _ offset: Int64?) -> String {
        "\(url.prefix { $0 != "?" })" + (offset.map { " \($0)" } ?? "")
    }
}
