/// The order in which an asset's parts are fetched: first to last, or from the part that a player requested.
struct PartQueue: Sendable {
    enum PartState: Sendable { case missing, running, done, failed }

    private(set) var states: [PartState]
    /// The parts to fetch before all others, in reverse order. Interrupted parts precede failed ones.
    private var first: [Int] = []
    /// The index at which the search for the next part begins. The search wraps around to `front`.
    private var cursor = 0
    /// The index before which no part is missing.
    private var front = 0

    /// Creates a queue with the parts to fetch first, in order.
    init(isDone: [Bool], first: [Int] = []) {
        self.first = first.reversed()
        states = isDone.map { $0 ? .done : .missing }
    }

    /// Returns the next missing part, and marks it as running; nil if there is none. Takes amortized constant time.
    mutating func next() -> Int? {
        while let index = first.popLast() {
            if states[index] == .missing { return start(index) }
        }
        while cursor < states.count, states[cursor] != .missing { cursor += 1 }
        if cursor < states.count { return start(cursor) }
        while front < states.count, states[front] != .missing { front += 1 }
        return front < states.count ? start(front) : nil
    }

    private mutating func start(_ index: Int) -> Int {
        states[index] = .running
        return index
    }

    mutating func done(_ index: Int) { end(index, .done) }

    mutating func failed(_ index: Int) { end(index, .failed) }

    /// Marks a running part as missing again.
    mutating func released(_ index: Int) {
        end(index, .missing)
        front = min(front, index)
    }

    private mutating func end(_ index: Int, _ state: PartState) {
        if states[index] == .running { states[index] = state }
    }

    mutating func prefer(_ index: Int) {
        guard states.indices.contains(index) else { return }
        first = []
        cursor = index
    }

    /// Marks failed parts as missing, except those that can't succeed.
    mutating func retryFailed(except final: Set<Int>) {
        for index in states.indices where states[index] == .failed && !final.contains(index) {
            states[index] = .missing
        }
        front = 0
        cursor = 0
    }

    /// Marks complete parts as missing, because they were removed.
    mutating func removed(_ parts: [Int]) {
        for index in parts where states[index] == .done { states[index] = .missing }
        front = 0
        cursor = 0
    }
}
