internal import HLS
internal import MediaCache

extension RecordedTrack {
    /// The maximum number of concurrent segment fetches per track.
    private static let width = 6
    private static let firstDelay = Duration.milliseconds(500)
    private static let maximumDelay = Duration.seconds(4)
    /// The time after which ``resumed`` segments are fetched even without their playlist.
    private static let resumePatience = Duration.seconds(60)

    /// Restores the segments that were awaited when the recording was stopped. They are fetched once their playlist has
    /// been loaded, since their names may refer to other segments by now.
    func resume(at now: Duration) {
        let rows = timeline.awaited
        for row in rows { awaited[row.number] = AwaitedSegment(row: row, seen: now) }
        resumed = (rows.map(\.number), now)
    }

    func enqueueResumed() {
        for number in resumed?.numbers ?? [] { queue.appendToBacklog(number) }
        resumed = nil
    }

    /// Enqueues a segment, in the backlog if it was published before the recording began.
    func enqueue(_ row: RecordedSegment, at now: Duration, isBacklog: Bool = false) {
        awaited[row.number] = AwaitedSegment(row: row, seen: now)
        if isBacklog {
            queue.appendToBacklog(row.number)
        } else {
            queue.append(row.number)
        }
    }

    /// Enqueues the awaited rows of the timeline that this track doesn't await yet.
    func enqueueMissing(_ rows: [RecordedSegment], at now: Duration) {
        for row in rows where row.state == .awaited && awaited[row.number] == nil { enqueue(row, at: now) }
    }

    /// Returns the next segment to request, and notes the request. Returns nil if no segment may be requested now.
    ///
    /// - Parameter isPastEnd: Whether the end has passed, so that ``resumed`` segments don't wait for their playlist.
    func nextRequest(
        _ fetch: Int, at now: Duration, isPastEnd: Bool, backlog: () -> FetchQueue.BacklogOrder
    ) -> RecordedSegment? {
        if let since = resumed?.since, isPastEnd || now - since >= Self.resumePatience { enqueueResumed() }
        while inFlight < Self.width {
            let order = backlog()
            guard let number = queue.next(at: now, backlog: order) else { return nil }
            guard var segment = awaited[number], !segment.isInFlight else { continue }
            segment.fetch = fetch
            segment.requested = segment.requested ?? now
            segment.lastRequested = now
            segment.progressed = now
            awaited[number] = segment
            inFlight += 1
            return segment.row
        }
        return nil
    }

    /// Notes that a segment and its companions are cached. Returns false if the segment is no longer awaited.
    func noteCompletion(of row: RecordedSegment, at now: Duration) -> Bool {
        guard let segment = awaited[row.number] else { return false }
        fetched = now
        failing = nil
        overtaking = [overtaking, segment.lastRequested].compactMap(\.self).max()
        completed = max(completed ?? .min, row.number)
        return true
    }

    /// Notes a failed fetch and schedules the next attempt, from another copy if there is one.
    ///
    /// - Parameter otherArrival: The time at which a segment of any track was last completed.
    /// - Returns: False if the segment is no longer awaited.
    func noteFailure(
        of row: RecordedSegment, _ error: CacheError, at now: Duration, otherArrival: Duration?
    ) -> Bool {
        guard var segment = awaited[row.number] else { return false }
        let error =
            segment.isHanging ? CacheError(.timedOut, "\(row.url) sent no data while other segments arrived") : error
        segment.isHanging = false
        segment.fetch = nil
        segment.failures += 1
        segment.failed = (segment.failed?.lowerBound ?? now)...now
        segment.arrival = fetched
        segment.otherArrival = otherArrival
        segment.reason = error.message
        failing = failing ?? now
        queue.retry(row.number, at: now + Self.delay(after: segment.failures, error))
        let isAbsent = error.code == .originStatus && (error.status == 404 || error.status == 410)
        segment.absentSince = isAbsent ? segment.absentSince ?? now : nil
        let isOfCopy = !isJoining && follower.listedSegment(row)?.uri == row.url
        if isOfCopy, ![.storage, .cancelled, .closed].contains(error.code), segment.failedCopies < urls.count - 1 {
            segment.failedCopies += 1
            failOver(from: url, at: now)
        }
        awaited[row.number] = segment
        return true
    }

    /// Returns the delay before the next attempt after one or more failures. The origin's Retry-After (RFC 9110
    /// §10.2.3) extends the delay to at most ten seconds.
    static func delay(after failures: Int, _ error: CacheError) -> Duration {
        let delay = min(firstDelay * (1 << min(failures - 1, 4)), maximumDelay)
        return max(delay, min(error.retryAfter ?? .zero, .seconds(10)))
    }

    /// The average length of the track's segments in bytes; nil until enough segments are recorded.
    var averageLength: Int64? {
        let totals = timeline.totals
        return totals.segments >= Recording.spared ? max(1, totals.bytes / Int64(totals.segments)) : nil
    }
}
