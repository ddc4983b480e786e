/// Which awaited segment of a track is fetched next: the first, since it's gone first. A stream that has gone on for a day
/// may name forty thousand at once.
struct FetchQueue: Sendable {
    /// In order, those before `head` taken.
    private var fresh: [Int64] = []
    private var head = 0
    /// Those that failed, and when they may be tried again.
    private var failed: [(number: Int64, at: Duration)] = []

    /// Adds one, whose number is greater than those of all that were added before.
    mutating func append(_ number: Int64) {
        if head > 1024, head * 2 > fresh.count {
            fresh.removeFirst(head)
            head = 0
        }
        fresh.append(number)
    }

    /// Puts back one that failed.
    mutating func retry(_ number: Int64, at time: Duration) { failed.append((number, time)) }

    /// Those that failed may be tried at once.
    mutating func retryAll() {
        for index in failed.indices { failed[index].at = .zero }
    }

    /// Takes the next.
    mutating func next(at now: Duration) -> Int64? {
        let due = failed.indices.filter { failed[$0].at <= now }.min { failed[$0].number < failed[$1].number }
        let first = head < fresh.count ? fresh[head] : nil
        if let due, first.map({ failed[due].number < $0 }) ?? true { return failed.remove(at: due).number }
        guard let first else { return nil }
        head += 1
        return first
    }
}
