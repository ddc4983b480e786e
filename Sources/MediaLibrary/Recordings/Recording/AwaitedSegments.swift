internal import MediaCache

/// A segment that is being fetched or is queued for fetching.
struct AwaitedSegment {
    var row: RecordedSegment
    /// The time of the last load in which the playlist listed the segment.
    var seen: Duration
    /// The number of the fetch in flight; nil if there is none.
    var fetch: Int?
    /// The times of the first and the last request.
    var requested: Duration?
    var lastRequested: Duration?
    /// The number of bytes received at the last check, and the time of the last observed progress.
    var received: Int64 = 0
    var progressed: Duration?
    /// Whether the fetch was cancelled because no data arrived.
    var isHanging = false
    var failures = 0
    /// The number of redundant copies from which the segment couldn't be fetched.
    var failedCopies = 0
    /// Whether the stored bytes may come from a different copy than the one in ``row``.
    var mayBeFromOtherCopy = false
    /// The times of the first and the last failure.
    var failed: ClosedRange<Duration>?
    /// The times of the last completed segments on the same track and on any track, as of the last failure.
    var arrival: Duration?
    var otherArrival: Duration?
    /// The time since which each attempt has failed with status 404 or 410.
    var absentSince: Duration?
    var reason = ""
    /// The media, once it's cached. From then on, only companions are missing.
    var media: FetchedPart?
    /// The time since which a later segment has been complete although companions of this one are missing.
    var overtakenSince: Duration?

    var isInFlight: Bool { fetch != nil }
}

/// A track's awaited segments by number. A playlist may list a day of segments, so counts are maintained incrementally.
struct AwaitedSegments {
    private var segments: [Int64: AwaitedSegment] = [:]
    /// The number of segments whose media is cached and whose companions are missing.
    private(set) var waiting = 0
    /// The total size of the cached media, in bytes.
    private(set) var waitingBytes: Int64 = 0
    /// The number of segments visited so far, by which tests measure the cost of long backlogs.
    private(set) var visits = 0

    var count: Int { segments.count }
    var isEmpty: Bool { segments.isEmpty }

    var values: Dictionary<Int64, AwaitedSegment>.Values {
        mutating get {
            visits += segments.count
            return segments.values
        }
    }

    subscript(number: Int64) -> AwaitedSegment? {
        get { segments[number] }
        set {
            let old: AwaitedSegment?
            if let newValue {
                old = segments.updateValue(newValue, forKey: number)
            } else {
                old = segments.removeValue(forKey: number)
            }
            waiting += (newValue?.media == nil ? 0 : 1) - (old?.media == nil ? 0 : 1)
            waitingBytes += (newValue?.media?.length ?? 0) - (old?.media?.length ?? 0)
        }
    }

    mutating func contains(where condition: (AwaitedSegment) -> Bool) -> Bool {
        for segment in segments.values {
            visits += 1
            if condition(segment) { return true }
        }
        return false
    }
}

/// A queue of a track's awaited segments. Outside the backlog, the oldest segments are fetched first, because the
/// origin removes them first.
///
/// The backlog consists of the segments from before the recording began, and of those that were awaited when it was
/// stopped.
struct FetchQueue: Sendable {
    /// The segments outside the backlog, in order. Those before `head` have been taken.
    private var fresh: [Int64] = []
    private var head = 0
    /// The segments of the backlog, in order.
    private var backlog: ArraySlice<Int64> = []
    /// The failed segments and the times of their next attempts.
    private var failed: [(number: Int64, at: Duration)] = []

    enum BacklogOrder {
        /// The backlog is fetched before later segments, oldest first.
        case oldestFirst
        /// The backlog is fetched after all other segments, newest first.
        case newestFirst
        /// The backlog isn't fetched now.
        case paused
    }

    /// Appends a segment. Its number must be greater than those of all segments appended before.
    mutating func append(_ number: Int64) {
        if head > 1024, head * 2 > fresh.count {
            fresh.removeFirst(head)
            head = 0
        }
        fresh.append(number)
    }

    /// Appends a segment of the backlog, in the order of numbers.
    mutating func appendToBacklog(_ number: Int64) { backlog.append(number) }

    mutating func retry(_ number: Int64, at time: Duration) { failed.append((number, time)) }

    /// Makes all failed segments due.
    mutating func retryAll() {
        for index in failed.indices { failed[index].at = .zero }
    }

    /// Removes and returns the next segment; returns nil if none is due.
    mutating func next(at now: Duration, backlog order: BacklogOrder = .oldestFirst) -> Int64? {
        let due = failed.indices.filter { failed[$0].at <= now }.min { failed[$0].number < failed[$1].number }
        let oldest = order == .oldestFirst ? backlog.first : nil
        let first = oldest ?? (head < fresh.count ? fresh[head] : nil)
        if let due, first.map({ failed[due].number < $0 }) ?? true { return failed.remove(at: due).number }
        if oldest != nil { return backlog.popFirst() }
        guard let first else { return order == .newestFirst ? backlog.popLast() : nil }
        head += 1
        return first
    }
}
