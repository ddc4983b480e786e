/// Which awaited segment of a track is fetched next: the first, since it's gone first. What was published before the recording
/// began comes after all others, where the oldest of it may not be wanted. A stream that has gone on for a day may name
/// forty thousand segments at once.
struct FetchQueue: Sendable {
    /// In order, those before `head` taken.
    private var fresh: [Int64] = []
    private var head = 0
    /// Segments that were published before the recording began, or awaited by an earlier process, in order.
    private var backlog: ArraySlice<Int64> = []
    /// Those that failed, and when they may be tried again.
    private var failed: [(number: Int64, at: Duration)] = []

    /// The end of the backlog from which segments are taken.
    enum BacklogOrder {
        case oldestFirst, newestFirst
        /// None is taken now.
        case paused
    }

    /// Adds one, whose number is greater than those of all that were added before.
    mutating func append(_ number: Int64) {
        if head > 1024, head * 2 > fresh.count {
            fresh.removeFirst(head)
            head = 0
        }
        fresh.append(number)
    }

    /// Adds one that was published before the recording began, or awaited by an earlier process, likewise.
    mutating func appendToBacklog(_ number: Int64) { backlog.append(number) }

    /// Puts back one that failed.
    mutating func retry(_ number: Int64, at time: Duration) { failed.append((number, time)) }

    /// Those that failed may be tried at once.
    mutating func retryAll() {
        for index in failed.indices { failed[index].at = .zero }
    }

    /// Takes the next.
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
