import HLS
internal import MediaCache

/// Which segments of two loads are the same.
extension TrackFollower {
    /// How much further on a playlist counts that goes on from what is known, by the names of its segments.
    static func shift(from known: MediaPlaylist, to update: MediaPlaylist) -> Int? {
        guard let last = known.segments.last, update.skip == nil else { return nil }
        let isExact = known.queriesTellApart || update.queriesTellApart
        let index = update.segments.lastIndex { isSame($0, last, isExact) }
        guard let index else { return nil }
        let overlap = min(index + 1, known.segments.count)
        guard overlap >= 2 || known.segments.count == 1 || index == 0 && update.segments.count > 1 else { return nil }
        let isRun = zip(known.segments.suffix(overlap), update.segments[(index + 1 - overlap)...index]).allSatisfy {
            isSame($0, $1, isExact)
        }
        return isRun ? update.firstMediaSequence + index - (known.nextMediaSequence - 1) : nil
    }

    /// - Parameter isExact: whether queries count, too. Servers put fresh tokens there.
    private static func isSame(_ left: MediaSegment, _ right: MediaSegment, _ isExact: Bool) -> Bool {
        if left.uri != right.uri, isExact || left.uri.path != right.uri.path { return false }
        return isAlike(left, right)
    }

    static func isAlike(_ left: MediaSegment, _ right: MediaSegment) -> Bool {
        left.byteRange?.offset == right.byteRange?.offset && left.duration == right.duration
            && (left.programDateTime == nil || right.programDateTime == nil
                || left.programDateTime?.nanosecondsSinceEpoch == right.programDateTime?.nanosecondsSinceEpoch)
    }

    /// What is known with other links, where an update has the same segments in other folders: what gives access is in the
    /// path.
    ///
    /// - Parameter isRecent: whether less time than this is over since something new came. An encoder that begins anew
    ///   makes no more media than that.
    static func renamed(
        _ known: MediaPlaylist, as update: MediaPlaylist, isRecent: (Duration) -> Bool
    ) -> MediaPlaylist? {
        guard update.skip == nil, update.nextMediaSequence >= known.nextMediaSequence else { return nil }
        let start = max(known.firstMediaSequence, update.firstMediaSequence)
        guard start < known.nextMediaSequence else { return nil }
        let isExact = known.queriesTellApart || update.queriesTellApart
        var renamed = known
        var duration: Int64 = 0
        var isTimed = true
        for sequence in start..<known.nextMediaSequence {
            let (place, segment) = (
                sequence - known.firstMediaSequence, update.segments[sequence - update.firstMediaSequence]
            )
            let own = known.segments[place]
            guard own.uri != segment.uri, isAlike(own, segment), fileName(own, isExact) == fileName(segment, isExact)
            else { return nil }
            isTimed = isTimed && own.programDateTime != nil && segment.programDateTime != nil
            duration = duration.clampedSum(segment.duration.nanoseconds)
            renamed.segments[place].uri = segment.uri
        }
        return isTimed || isRecent(.nanoseconds(duration)) ? renamed : nil
    }

    static func fileName(_ segment: MediaSegment, _ isExact: Bool = false) -> Substring {
        let path = segment.uri.path
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        return isExact ? segment.uri[start...] : path[start...]
    }

    // MARK: - Names

    /// Whether a row's name is in the playlist, and means another segment there.
    ///
    /// - Parameter names: ``names``, made once for all that are asked about.
    func isReused(_ row: RecordedSegment, among names: Set<String>) -> Bool {
        guard present(row) == nil else { return false }
        let offset = row.range?.lowerBound
        return names.contains(Self.name(row.url, offset)) || names.contains(Self.name(row.url.path, offset))
    }

    /// What the playlist's segments are called, and the slices of files among them.
    var names: Set<String> {
        guard let known else { return [] }
        let isExact = known.queriesTellApart
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
    /// Whether some of its segments differ only in their queries. Otherwise these may be fresh tokens with each load.
    var queriesTellApart: Bool {
        // Most playlists have no queries.
        guard segments.contains(where: { $0.uri.utf8.contains(UInt8(ascii: "?")) }) else { return false }
        func names(_ name: (String) -> Substring) -> Set<String> {
            Set(segments.map { "\(name($0.uri)) \($0.byteRange?.offset ?? -1)" })
        }
        return names(\.path).count < names { $0[...] }.count
    }
}

extension String {
    /// A URI without its query.
    var path: Substring { prefix { $0 != "?" } }
}
