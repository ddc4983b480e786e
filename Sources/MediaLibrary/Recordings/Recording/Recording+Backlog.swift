internal import Foundation
internal import MediaCache

/// What was published before the recording began, and may not be wanted: a playlist may name a day of it.
extension Recording {
    /// When segments arrived that are too old now, in nanoseconds since 1970.
    func oldest(_ retention: Retention) -> Int64 {
        retention.seconds.map { arrivalNow.clampedSum(-Int64(min(max(0, $0), 1e9) * 1e9)) } ?? .min
    }

    /// The numbers of new rows that the limits of age and count would give up at once: those of a long playlist aren't
    /// fetched.
    func surplus(of rows: [RecordedSegment]) -> Set<Int64> {
        let (retention, oldest) = (channel.retention, oldest(channel.retention))
        guard !channel.hasEnded, retention.seconds != nil || retention.segments != nil else { return [] }
        let most = max(retention.segments ?? .max, isRunning ? Int(Self.spared) : 1)
        let pinned = pinned
        var surplus: Set<Int64> = []
        var behind = 0
        for row in rows.reversed() where row.state == .awaited {
            behind += 1
            guard row.arrived <= oldest || behind > most, !row.overlaps(pinned) else { continue }
            surplus.insert(row.number)
        }
        return surplus
    }

    // MARK: - Limits of size

    /// The bytes that the limits of size and of free disk space allow; nil without such limits.
    private var allowedBytes: Int64? {
        let retention = channel.retention
        guard retention.bytes != nil || retention.freeBytes != nil else { return nil }
        return [retention.bytes, retention.freeBytes == nil ? nil : prune.room].compactMap { $0 }.min().map {
            max(0, $0)
        }
    }

    /// The average length of a track's segments in bytes; nil before a few were fetched.
    private func averageLength(_ index: Int) -> Int64? {
        let totals = tracks[index].timeline.totals
        return totals.segments >= Self.spared ? max(1, totals.bytes / Int64(totals.segments)) : nil
    }

    /// The end of a track's backlog from which segments are taken: the oldest, so that the live edge has a beginning from
    /// the first one on, unless that would lose the newest. Under a limit of size, the newest few tell how many of the
    /// others will fit.
    func backlogOrder(_ index: Int) -> FetchQueue.BacklogOrder {
        if allowedBytes != nil, averageLength(index) == nil {
            // Those that are cached but not in the timeline yet aren't measured.
            let unmeasured = tracks[index].underWay + tracks[index].awaited.waiting
            return unmeasured < Self.spared ? .newestFirst : .paused
        }
        return isBacklogTooLarge || isEndTooSoon ? .newestFirst : .oldestFirst
    }

    /// Whether the recording is expected to end before all segments were fetched that are awaited or published until then,
    /// at the pace of those that arrived.
    private var isEndTooSoon: Bool {
        guard let end = channel.endsAt?.nanosecondsSinceEpoch, let first = arrivals.first?.at else { return false }
        let remaining = Duration.nanoseconds(max(0, end.clampedSum(-now))).seconds
        let segments = tracks.reduce(0) { $0 + Double($1.awaited.count) + remaining / $1.targetDuration.seconds }
        return segments * (monotonic - first).seconds > remaining * Double(arrivals.count)
    }

    /// Whether the segments that are awaited are expected to be more than the limits of size allow.
    private var isBacklogTooLarge: Bool {
        guard let allowed = allowedBytes else { return false }
        return tracks.indices.reduce(Int64(0)) { $0 + Int64(tracks[$1].awaited.count) * (averageLength($1) ?? 0) }
            > allowed
    }

    /// Gives up awaited segments, the oldest first, that the limits of size would give up as soon as they were fetched.
    ///
    /// - Throws: `CacheError` with `storage`.
    func giveUpBacklog() async throws {
        guard !channel.hasEnded, isBacklogTooLarge, let allowed = allowedBytes else { return }
        var bytes: Int64 = 0
        for index in tracks.indices {
            let timeline = tracks[index].timeline
            // Those behind the first awaited one are newer than the backlog.
            bytes += try await Int64(timeline.keptCount(from: timeline.edge)) * (averageLength(index) ?? 0)
        }
        let rows = takeBacklog(beyond: allowed - bytes)
        for (index, rows) in rows {
            do {
                try await tracks[index].timeline.settle(rows)
                try await tracks[index].timeline.giveUp(rows.map(\.number).sorted())
            } catch {
                // Those that are awaited in the timeline are tried again.
                for row in tracks[index].timeline.awaited where tracks[index].awaited[row.number] == nil {
                    expect(row, index, monotonic)
                }
                throw error
            }
        }
    }

    /// Takes the oldest awaited segments out of those to be fetched, as gaps, until the rest is expected to fit.
    private func takeBacklog(beyond allowed: Int64) -> [Int: [RecordedSegment]] {
        let lengths = tracks.indices.map { averageLength($0) }
        let pinned = pinned
        let newestFirst = tracks.indices.filter { lengths[$0] != nil }
            .flatMap { index in tracks[index].awaited.values.map { (index, $0) } }
            .sorted { ($0.1.row.start, $0.0) > ($1.1.row.start, $1.0) }
        var taken: [Int: [RecordedSegment]] = [:]
        var (bytes, seen) = (Int64(0), [Int: Int64]())
        for (index, awaited) in newestFirst {
            bytes += lengths[index] ?? 0
            seen[index, default: 0] += 1
            guard bytes > allowed, seen[index, default: 0] > Self.spared, !awaited.isUnderWay,
                !awaited.row.overlaps(pinned)
            else { continue }
            var row = awaited.row
            row.state = .gap
            taken[index, default: []].append(row)
            tracks[index].awaited[row.number] = nil
        }
        return taken
    }
}
