import HLS
internal import MediaCache

/// Comparison of segments between loads.
extension TrackFollower {
    /// The minimum number of common segments of two sessions, and the maximum deviation in time, in target durations.
    private static let sessionOverlap = 2
    private static let sessionTolerance = 3

    /// Returns the difference between the media sequence numbers of two playlists if the update continues the known one
    /// by segment names but with different numbers; nil otherwise.
    static func shift(from known: MediaPlaylist, to update: MediaPlaylist) -> Int? {
        guard let last = known.segments.last, update.skip == nil else { return nil }
        let isExact = known.queriesAreSignificant || update.queriesAreSignificant
        let index = update.segments.lastIndex { isSame($0, last, isExact) }
        guard let index else { return nil }
        let overlap = min(index + 1, known.segments.count)
        guard overlap >= 2 || known.segments.count == 1 || index == 0 && update.segments.count > 1 else { return nil }
        let isRun = zip(known.segments.suffix(overlap), update.segments[(index + 1 - overlap)...index]).allSatisfy {
            isSame($0, $1, isExact)
        }
        return isRun ? update.firstMediaSequence + index - (known.nextMediaSequence - 1) : nil
    }

    /// Returns whether two segments have the same name and properties.
    ///
    /// - Parameter isExact: Whether queries are compared too. They often contain changing tokens.
    private static func isSame(_ left: MediaSegment, _ right: MediaSegment, _ isExact: Bool) -> Bool {
        if left.uri != right.uri, isExact || left.uri.path != right.uri.path { return false }
        return isAlike(left, right)
    }

    /// Returns whether two segments agree in byte range offset, duration and, if both have one, date.
    static func isAlike(_ left: MediaSegment, _ right: MediaSegment) -> Bool {
        left.byteRange?.offset == right.byteRange?.offset && left.duration == right.duration
            && (left.programDateTime == nil || right.programDateTime == nil
                || left.programDateTime?.nanosecondsSinceEpoch == right.programDateTime?.nanosecondsSinceEpoch)
    }

    /// Returns the known playlist with the links of an update; returns nil if their segments differ.
    ///
    /// The update lists the same segments on another host or in another folder: some servers put access tokens into the
    /// path, and load balancers redirect to other servers. It may be behind the known playlist.
    ///
    /// - Parameters:
    ///   - elapsed: The time since the last new segment.
    ///   - hasNewLinks: Whether the update has a different URL than the known playlist. File names may then differ,
    ///     since some servers put session IDs into them.
    static func renamed(
        _ known: MediaPlaylist, as update: MediaPlaylist, after elapsed: Duration, hasNewLinks: Bool = false
    ) -> MediaPlaylist? {
        guard update.skip == nil else { return nil }
        let start = max(known.firstMediaSequence, update.firstMediaSequence)
        let end = min(known.nextMediaSequence, update.nextMediaSequence)
        guard start < end else { return nil }
        let isExact = known.queriesAreSignificant || update.queriesAreSignificant
        var renamed = known
        var duration: Int64 = 0
        var (isTimed, isNamed) = (true, true)
        for sequence in start..<end {
            let (place, segment) = (
                sequence - known.firstMediaSequence, update.segments[sequence - update.firstMediaSequence]
            )
            let own = known.segments[place]
            guard own.uri != segment.uri, isAlike(own, segment) else { return nil }
            isNamed = isNamed && own.uri.fileName(withQuery: isExact) == segment.uri.fileName(withQuery: isExact)
            guard isNamed || hasNewLinks else { return nil }
            isTimed = isTimed && own.programDateTime != nil && segment.programDateTime != nil
            duration = duration.clampedSum(segment.duration.nanoseconds)
            renamed.segments[place].uri = segment.uri
        }
        // A restarted encoder can't have produced more media than the elapsed time.
        if isNamed, isTimed || elapsed < .nanoseconds(duration) { return renamed }
        guard hasNewLinks, end - start >= sessionOverlap else { return nil }
        return isTimely(update, after: known, elapsed) ? renamed : nil
    }

    /// Returns whether an update ends about as much later than the known playlist as the elapsed time.
    private static func isTimely(_ update: MediaPlaylist, after known: MediaPlaylist, _ elapsed: Duration) -> Bool {
        let difference = update.nextMediaSequence - known.nextMediaSequence
        let longer = difference > 0 ? update : known
        let media = longer.segments.suffix(abs(difference)).reduce(Int64(0)) {
            $0.clampedSum($1.duration.nanoseconds)
        }
        let lead = difference > 0 ? media : -media
        let target = max(1, known.targetDuration ?? 1, update.targetDuration ?? 1)
        let tolerance = Int64(sessionTolerance * target) * 1_000_000_000
        return abs(elapsed.nanoseconds.clampedSum(-lead)) <= tolerance
    }

    // MARK: - Names

    /// Returns whether the playlist uses a row's name for another segment.
    ///
    /// - Parameter names: The value of ``names``, computed once for all rows.
    func isReused(_ row: RecordedSegment, among names: Set<String>) -> Bool {
        guard listedSegment(row) == nil else { return false }
        let offset = row.range?.lowerBound
        return names.contains(Self.name(row.url, offset)) || names.contains(Self.name(row.url.path, offset))
    }

    /// The names of the playlist's segments. A byte range also has a name with its offset.
    var names: Set<String> {
        guard let known else { return [] }
        let isExact = known.queriesAreSignificant
        var names: Set<String> = []
        for segment in known.segments {
            let name = isExact ? segment.uri[...] : segment.uri.path
            names.insert(Self.name(name, nil))
            if let offset = segment.byteRange?.offset { names.insert(Self.name(name, Int64(offset))) }
        }
        return names
    }

    private static func name(_ url: some StringProtocol, _ offset: Int64?) -> String {
        "\(url)" + (offset.map { " \($0)" } ?? "")
    }
}

extension MediaPlaylist {
    /// Whether some segments differ only in their queries. Otherwise queries may be changing tokens.
    var queriesAreSignificant: Bool {
        // Most playlists have no queries.
        guard segments.contains(where: { $0.uri.utf8.contains(UInt8(ascii: "?")) }) else { return false }
        func names(_ name: (String) -> Substring) -> Set<String> {
            Set(segments.map { "\(name($0.uri)) \($0.byteRange?.offset ?? -1)" })
        }
        return names(\.path).count < names { $0[...] }.count
    }

    // MARK: - Bounds

    /// The maximum target duration in seconds, and the maximum segment duration in nanoseconds.
    private static let maximumTarget = 600
    private static let maximumSegmentDuration: Int64 = 86_400_000_000_000
    /// The ranges of valid media sequence numbers and times. Other values would overflow calculations.
    private static let greatestSequence = 1 << 52
    fileprivate static let times: ClosedRange<Int64> = 0...4_000_000_000_000_000_000

    /// The playlist with all numbers limited to ranges that are safe in calculations.
    var withinBounds: MediaPlaylist {
        var playlist = self
        if let target = targetDuration { playlist.targetDuration = min(max(1, target), Self.maximumTarget) }
        if !(0...Self.greatestSequence).contains(discontinuitySequence) { playlist.discontinuitySequence = 0 }
        if let skip { playlist.skip?.count = min(max(0, skip.count), Self.greatestSequence) }
        if mediaSequence.magnitude > Self.greatestSequence.magnitude { playlist.mediaSequence = 0 }
        for (index, segment) in segments.enumerated() {
            let duration = segment.duration.nanoseconds
            if !(0...Self.maximumSegmentDuration).contains(duration) {
                playlist.segments[index].duration = DecimalValue(
                    nanoseconds: min(max(0, duration), Self.maximumSegmentDuration))
            }
            guard let time = segment.programDateTime?.nanosecondsSinceEpoch, !Self.times.contains(time) else {
                continue
            }
            playlist.segments[index].programDateTime = nil
        }
        return playlist
    }
}

extension String {
    /// A URI without its query.
    var path: Substring { prefix { $0 != "?" } }

    /// Returns the last path component of a URI.
    func fileName(withQuery: Bool) -> Substring {
        let path = path
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? startIndex
        return withQuery ? self[start...] : path[start...]
    }
}

extension ResolvedSegment {
    /// The start of the segment by its playlist's dates, in nanoseconds since 1970; nil without a valid date. A derived
    /// date may be out of range, because durations are untrusted input.
    var boundedDate: Int64? {
        programDateTime?.nanosecondsSinceEpoch.flatMap { MediaPlaylist.times.contains($0) ? $0 : nil }
    }
}
