extension Recording {
    /// A segment that is being fetched, or is to be.
    struct Awaited {
        var row: RecordedSegment
        /// When it was in the playlist last.
        var seen: Duration
        /// The number of the fetch that is under way.
        var fetch: Int?
        /// When it was first requested, and when it was requested last.
        var requested: Duration?
        var asked: Duration?
        /// The bytes of it that had been received when that was last looked at, and when the last of them were noticed.
        var received: Int64 = 0
        var progressed: Duration?
        /// Whether its fetch was ended because nothing arrived.
        var isHanging = false
        var failures = 0
        /// The number of redundant copies that it couldn't be fetched from.
        var failedCopies = 0
        /// Whether bytes of it may be stored that came from another copy than its row names now.
        var mayHaveOtherBytes = false
        /// When it failed first and last.
        var failed: ClosedRange<Duration>?
        /// The last arrivals before it failed last: on its own track, and on any track. A segment that hasn't failed since
        /// then may arrive too.
        var arrival: Duration?
        var otherArrival: Duration?
        /// Since when its origin has said that it isn't there.
        var absentSince: Duration?
        var reason = ""
        /// Its media, once that is here: what is awaited then are its companions.
        var media: FetchedPart?
        /// Since when a segment behind it has been complete, while this one's companions aren't here.
        var overtakenSince: Duration?

        var isUnderWay: Bool { fetch != nil }
    }

    /// The segments of a track that are being fetched or are to be, by number. A playlist of a day names forty thousand of
    /// them at once: what is needed for each segment that arrives is counted as they change.
    struct AwaitedSegments {
        private var segments: [Int64: Awaited] = [:]
        /// The number of segments whose media is cached and whose companions are missing.
        private(set) var waiting = 0
        /// The bytes of their media.
        private(set) var waitingBytes: Int64 = 0
        /// The number of segments that were passed over one by one, for tests of the cost of a long backlog.
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

        /// Whether any segment satisfies a condition. The rest isn't passed over.
        mutating func contains(where condition: (Awaited) -> Bool) -> Bool {
            for segment in segments.values {
                visits += 1
                if condition(segment) { return true }
            }
            return false
        }
    }
}
