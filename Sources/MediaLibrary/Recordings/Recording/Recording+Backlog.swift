internal import Foundation
internal import MediaCache

/// Handling of segments that were published before the recording began. A playlist may list a day of them.
extension Recording {
    /// Returns the arrival time up to which segments are too old, in nanoseconds since 1970.
    func oldest(_ retention: Retention) -> Int64 {
        retention.seconds.map { arrivalNow.clampedSum(-Int64(min(max(0, $0), 1e9) * 1e9)) } ?? .min
    }

    /// Returns the numbers of awaited rows that retention by age or count would remove immediately.
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

    // MARK: - Size limits

    /// The number of bytes allowed by the limits on size and free disk space; nil without such limits.
    private var allowedBytes: Int64? {
        let retention = channel.retention
        guard retention.bytes != nil || retention.freeBytes != nil else { return nil }
        return [retention.bytes, retention.freeBytes == nil ? nil : cleaner.space].compactMap { $0 }.min().map {
            max(0, $0)
        }
    }

    /// Returns the order in which a track's backlog is fetched.
    ///
    /// The oldest segments come first, so that the recording is contiguous, unless that would lose the newest ones.
    /// With a size limit, a few of the newest segments are fetched first to estimate how many others fit.
    func backlogOrder(_ track: RecordedTrack) -> FetchQueue.BacklogOrder {
        if allowedBytes != nil, track.averageLength == nil {
            // Awaited segments don't count toward the average length.
            let unmeasured = track.inFlight + track.awaited.waiting
            return unmeasured < Self.spared ? .newestFirst : .paused
        }
        return isBacklogTooLarge || endsBeforeBacklogIsFetched ? .newestFirst : .oldestFirst
    }

    /// Whether, at the current pace, the recording ends before all awaited and upcoming segments are fetched.
    private var endsBeforeBacklogIsFetched: Bool {
        guard let end = channel.endsAt?.nanosecondsSinceEpoch, let first = arrivals.first?.at else { return false }
        let remaining = Duration.nanoseconds(max(0, end.clampedSum(-now))).seconds
        let segments = tracks.reduce(0) { $0 + Double($1.awaited.count) + remaining / $1.targetDuration.seconds }
        return segments * (monotonic - first).seconds > remaining * Double(arrivals.count)
    }

    /// Whether the awaited segments are expected to exceed the size limits.
    private var isBacklogTooLarge: Bool {
        guard let allowed = allowedBytes else { return false }
        return tracks.reduce(Int64(0)) { $0 + Int64($1.awaited.count) * ($1.averageLength ?? 0) }
            > allowed
    }

    /// Gives up the oldest awaited segments that the size limits would remove as soon as they were fetched.
    func discardBacklog() async throws {
        guard !channel.hasEnded, isBacklogTooLarge, let allowed = allowedBytes else { return }
        var bytes: Int64 = 0
        for track in tracks {
            let timeline = track.timeline
            // Segments after the first awaited one are newer than the backlog.
            bytes += try await Int64(timeline.storedCount(from: timeline.edge)) * (track.averageLength ?? 0)
        }
        for (track, rows) in discardedBacklog(beyond: allowed - bytes) {
            do {
                try await track.timeline.settle(rows)
                try await track.timeline.remove(rows.map(\.number).sorted())
            } catch {
                track.enqueueMissing(track.timeline.awaited, at: monotonic)
                throw error
            }
        }
    }

    /// Stops awaiting the oldest segments until the rest is expected to fit, and returns them as gaps.
    private func discardedBacklog(beyond allowed: Int64) -> [(track: RecordedTrack, rows: [RecordedSegment])] {
        let pinned = pinned
        var newestFirst: [(index: Int, track: RecordedTrack, length: Int64, segment: AwaitedSegment)] = []
        for (index, track) in tracks.enumerated() {
            guard let length = track.averageLength else { continue }
            newestFirst += track.awaited.values.map { (index, track, length, $0) }
        }
        newestFirst.sort { ($0.segment.row.start, $0.index) > ($1.segment.row.start, $1.index) }
        var discarded = tracks.map { (track: $0, rows: [RecordedSegment]()) }
        var (bytes, seen) = (Int64(0), tracks.map { _ in 0 })
        for (index, track, length, awaited) in newestFirst {
            bytes += length
            seen[index] += 1
            guard bytes > allowed, seen[index] > Self.spared, !awaited.isInFlight, !awaited.row.overlaps(pinned) else {
                continue
            }
            var row = awaited.row
            row.state = .gap
            discarded[index].rows.append(row)
            track.awaited[row.number] = nil
        }
        return discarded.filter { !$0.rows.isEmpty }
    }
}
