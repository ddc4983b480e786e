/// Which part of an asset is fetched next: in order, but for where somebody plays.
///
/// A pure value; each step takes constant time over the course of a download.
struct PartQueue: Sendable {
    /// Where a part stands.
    enum PartState: Sendable {
        case missing, running, done, failed
    }

    private(set) var states: [PartState]
    /// What goes before all else, the last first: what was under way before, then what failed.
    private var first: [Int] = []
    /// Where the next is looked for, before the front.
    private var cursor = 0
    /// Before this, nothing is missing.
    private var front = 0
    private(set) var doneCount = 0
    private(set) var failedCount = 0
    private(set) var runningCount = 0

    /// A queue of parts, of which some are here.
    ///
    /// - Parameters:
    ///   - isDone: which are here.
    ///   - first: those that go before all others, in this order.
    init(isDone: [Bool], first: [Int] = []) {
        self.first = first.reversed()
        states = isDone.map { $0 ? .done : .missing }
        doneCount = isDone.count { $0 }
    }

    /// Takes the next part that is missing, if there is one.
    mutating func next() -> Int? {
        while let index = first.popLast() {
            if states[index] == .missing { return take(index) }
        }
        while cursor < states.count, states[cursor] != .missing { cursor += 1 }
        if cursor < states.count { return take(cursor) }
        while front < states.count, states[front] != .missing { front += 1 }
        return front < states.count ? take(front) : nil
    }

    private mutating func take(_ index: Int) -> Int {
        states[index] = .running
        runningCount += 1
        return index
    }

    /// A part is here.
    mutating func done(_ index: Int) { end(index, .done) }

    /// A part can't be had, for now.
    mutating func failed(_ index: Int) { end(index, .failed) }

    /// A part isn't being fetched any more.
    mutating func gaveUp(_ index: Int) {
        end(index, .missing)
        front = min(front, index)
    }

    private mutating func end(_ index: Int, _ state: PartState) {
        guard states[index] == .running else { return }
        runningCount -= 1
        states[index] = state
        if state == .done { doneCount += 1 }
        if state == .failed { failedCount += 1 }
    }

    /// Goes on from a part: somebody plays there.
    mutating func prefer(_ index: Int) {
        guard states.indices.contains(index) else { return }
        first = []
        cursor = index
    }

    /// What failed is to be tried again, but for these.
    mutating func retryFailed(but final: Set<Int>) {
        for index in states.indices where states[index] == .failed && !final.contains(index) {
            states[index] = .missing
            failedCount -= 1
        }
        front = 0
        cursor = 0
    }

    /// Parts that were here aren't any more.
    mutating func lost(_ parts: [Int]) {
        for index in parts where states[index] == .done {
            states[index] = .missing
            doneCount -= 1
        }
        front = 0
        cursor = 0
    }
}
