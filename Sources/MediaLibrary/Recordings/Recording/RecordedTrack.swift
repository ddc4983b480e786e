internal import HLS
internal import MediaCache

extension Recording {
    /// A track of the channel: its playlist, its timeline and the segments that it waits for.
    struct Track {
        let folder: String
        /// The URLs of the redundant copies of the playlist, in order of preference.
        var urls: [ResourceURL]
        /// The index in ``urls`` of the copy that is followed.
        var copy = 0
        /// The time at which the copy was chosen.
        var chosen: Duration = .zero
        /// Whether no playlist of the copy has been matched with the recorded segments yet.
        var isJoining = false
        /// The address of the last playlist that continued the recorded segments, without its query. Other links are
        /// only expected at another address.
        var address: String?
        /// The number of copies that failed in succession.
        var failedCopies = 0
        /// The scope of the document that named ``urls``.
        var scope: AddressScope
        let timeline: Timeline
        var follower: TrackFollower
        /// The last playlist that was processed; nil if it was older than the known one.
        var lastPlaylist: LoadedPlaylist?
        var follows: Task<Void, Never>?
        /// The first failed load since the last successful one, and its reason.
        var loadFailure: (since: Duration, reason: String)?
        /// The time since which every response of the origin has said that the playlist doesn't exist.
        var missingSince: Duration?
        /// The time since which the playlist has had EXT-X-ENDLIST.
        var endedSince: Duration?
        /// Whether the multivariant playlist named the track when it was last loaded.
        var isNamed = true
        var isLoading = false
        /// Whether the origin refused delivery directives and no new segment has appeared since.
        var refusesDirectives = false
        /// Whether new segments are being appended to the timeline. They aren't in ``awaited`` yet.
        var isAppending = false
        /// The time of the last successful load of the playlist.
        var loaded: Duration?
        /// The time of the first successful load after a failure.
        var recovered: Duration = .zero
        /// The time at which the playlist last had new segments.
        var renewed: Duration = .zero
        /// Whether the playlist has had new segments since its first load.
        var hasChanged = false
        /// The time at which a segment was last completed.
        var fetched: Duration?
        /// The time of the first failed segment request since a segment was completed; nil if none has failed.
        var failing: Duration?
        /// The latest request time among the completed segments.
        var overtaking: Duration?
        /// The highest number of a segment completed since the last call of ``Recording/expire()``.
        var completed: Int64?
        var queue = FetchQueue()
        /// The number of segments that are being fetched.
        var inFlight = 0
        /// The segments that an earlier process awaited. They are fetched once the playlist shows which names are still
        /// valid.
        var resumed: (numbers: [Int64], since: Duration)?
        /// The segments that are being fetched or wait for a fetch.
        var awaited = AwaitedSegments()

        /// The URL of the followed copy.
        var url: ResourceURL { urls[copy] }
        var targetDuration: Duration { .seconds(max(1, follower.known?.targetDuration ?? 1)) }
    }

    /// A segment that was fetched or lost, before the timeline contains the result.
    struct Settled {
        var track: Int
        var row: RecordedSegment
        var reason: String
    }

    /// A segment that is being fetched or waits for a fetch.
    struct Awaited {
        var row: RecordedSegment
        /// The time of the last load whose playlist had the segment.
        var seen: Duration
        /// The number of the fetch in flight.
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
        /// Whether bytes of another copy than the one in ``row`` may be stored.
        var mayHaveOtherBytes = false
        /// The times of the first and the last failure.
        var failed: ClosedRange<Duration>?
        /// The times of the last completed segments before the last failure, on the same track and on any track. They
        /// may still be followed by this segment if it hasn't failed since.
        var arrival: Duration?
        var otherArrival: Duration?
        /// The time since which the origin has responded that the segment doesn't exist.
        var absentSince: Duration?
        var reason = ""
        /// The media, once cached. Only companions are missing then.
        var media: FetchedPart?
        /// The time since which a later segment has been complete while companions of this one are missing.
        var overtakenSince: Duration?

        var isInFlight: Bool { fetch != nil }
    }

    /// A track's awaited segments by number. The playlist of a day lists forty thousand at once, so the counts needed
    /// for each arriving segment are maintained incrementally.
    struct AwaitedSegments {
        private var segments: [Int64: Awaited] = [:]
        /// The number of segments whose media is cached and whose companions are missing.
        private(set) var waiting = 0
        /// The number of bytes of their media.
        private(set) var waitingBytes: Int64 = 0
        /// The number of visited segments, for tests of the cost of long backlogs.
        private(set) var visits = 0

        var count: Int { segments.count }
        var isEmpty: Bool { segments.isEmpty }

        /// All segments, in no order.
        var values: Dictionary<Int64, Awaited>.Values {
            mutating get {
                visits += segments.count
                return segments.values
            }
        }

        subscript(number: Int64) -> Awaited? {
            get { segments[number] }
            set {
                let old: Awaited?
                if let newValue {
                    old = segments.updateValue(newValue, forKey: number)
                } else {
                    old = segments.removeValue(forKey: number)
                }
                waiting += (newValue?.media == nil ? 0 : 1) - (old?.media == nil ? 0 : 1)
                waitingBytes += (newValue?.media?.length ?? 0) - (old?.media?.length ?? 0)
            }
        }

        /// Whether any segment satisfies a condition. The search ends at the first match.
        mutating func contains(where condition: (Awaited) -> Bool) -> Bool {
            for segment in segments.values {
                visits += 1
                if condition(segment) { return true }
            }
            return false
        }
    }
}

/// The order in which a track's awaited segments are fetched. The oldest come first, since they leave the origin first.
/// The backlog comes last, since retention may discard its oldest segments. It consists of the segments published
/// before the recording began, or awaited by an earlier process. The playlist of a day may list forty thousand segments
/// at once.
struct FetchQueue: Sendable {
    /// The segments in order. Those before `head` have been taken.
    private var fresh: [Int64] = []
    private var head = 0
    /// The segments of the backlog, in order.
    private var backlog: ArraySlice<Int64> = []
    /// The failed segments and the times of their next attempts.
    private var failed: [(number: Int64, at: Duration)] = []

    /// The end of the backlog from which segments are taken.
    enum BacklogOrder {
        case oldestFirst, newestFirst
        /// No segment is taken now.
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

    /// Reinserts a failed segment for another attempt.
    mutating func retry(_ number: Int64, at time: Duration) { failed.append((number, time)) }

    /// Makes all failed segments eligible at once.
    mutating func retryAll() {
        for index in failed.indices { failed[index].at = .zero }
    }

    /// Removes and returns the next segment.
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
