/// Which bytes a ring of memory holds, who reads them, and who can't stay. Pure.
///
/// The reader that is furthest ahead sets the pace: what lies before it is held while there's room, for those who
/// follow. Who falls behind by more than the ring holds is waited for, for a moment in all, and then let go.
struct RingWindow {
    /// The most bytes held.
    static let capacity: Int64 = 1 << 20
    /// How far ahead of the first reader the origin is read.
    static let lookahead: Int64 = 512 << 10
    /// Who wants bytes this near waits for them rather than to ask anew.
    static let nearDistance: Int64 = 256 << 10
    /// How long each reader may keep the others waiting, in all.
    static let grace = Duration.milliseconds(250)
    /// Who is let go makes at least this much room: not a byte at a time.
    static let step: Int64 = 64 << 10

    struct Reader {
        var position: Int64
        var transferClass: TransferClass
        /// Whether it holds the place of readers who are about to come. It's never let go.
        var isHold: Bool
        var wake: (@Sendable () -> Void)?
        /// How long it has kept the others waiting.
        var delay = Duration.zero
    }

    /// The bytes that are here.
    private(set) var start: Int64
    private(set) var end: Int64
    /// One past the last byte that will come; `Int64.max` if only the end tells.
    let limit: Int64
    /// Whether the origin sends all of it in any case, so that waiting costs no more than asking again.
    let sendsAll: Bool
    private(set) var readers: [Int: Reader] = [:]
    private var nextID = 0
    /// Until when the delays have been counted, while the others wait.
    private var countedUntil: Duration?
    /// Whether anybody has come yet.
    private(set) var hasHadReaders = false

    init(start: Int64, limit: Int64, sendsAll: Bool = false) {
        self.start = start
        end = start
        self.limit = limit
        self.sendsAll = sendsAll
    }

    /// The most bytes that will be held at once.
    var size: Int { Int(min(Self.capacity, limit - start)) }

    /// How urgent it is to the most urgent reader; nil without any, as while only holds are left.
    var transferClass: TransferClass? { readers.values.filter { !$0.isHold }.map(\.transferClass).max() }

    // MARK: - Readers

    /// Whether the byte at `position` is here, or will be soon.
    func reaches(_ position: Int64) -> Bool {
        start <= position && position < limit && (sendsAll || position - end <= Self.nearDistance)
    }

    mutating func join(at position: Int64, _ transferClass: TransferClass, isHold: Bool = false) -> Int {
        nextID += 1
        readers[nextID] = Reader(position: position, transferClass: transferClass, isHold: isHold)
        if !isHold { hasHadReaders = true }
        return nextID
    }

    mutating func leave(_ id: Int) -> Reader? { readers.removeValue(forKey: id) }

    mutating func consume(_ count: Int, by id: Int) { readers[id]?.position += Int64(count) }

    /// Notes how to wake a reader. Returns the wake it replaces.
    mutating func setWake(_ wake: @escaping @Sendable () -> Void, of id: Int) -> (@Sendable () -> Void)? {
        defer { readers[id]?.wake = wake }
        return readers[id]?.wake
    }

    /// Returns how to wake all who wait.
    mutating func takeWakes(where isConcerned: (Reader) -> Bool = { _ in true }) -> [@Sendable () -> Void] {
        readers.compactMap { id, reader in
            guard isConcerned(reader), let wake = reader.wake else { return nil }
            readers[id]?.wake = nil
            return wake
        }
    }

    // MARK: - Room

    /// How many bytes may come now, and who had to be let go for it.
    mutating func makeSpace(now: Duration) -> (count: Int, fallen: [Reader]) {
        charge(now: now)
        let wanted = Self.lookahead.clampedSum(first - end)
        guard wanted > 0 else { return (0, []) }
        guard isBlocked else { return (Int(min(wanted, free)), []) }
        guard blockers.allSatisfy({ !$0.value.isHold && $0.value.delay >= Self.grace }) else { return (0, []) }
        let fallen = blockers
        for id in fallen.keys { readers[id] = nil }
        countedUntil = nil
        return (Int(min(wanted, free)), Array(fallen.values))
    }

    /// Counts for how long those at the end of the ring have kept the others waiting.
    mutating func charge(now: Duration) {
        if let countedUntil {
            for id in blockers.keys { readers[id]?.delay += now - countedUntil }
        }
        countedUntil = isBlocked ? now : nil
    }

    /// Whether the first has read all there is, and there's no room for more. Else nobody waits for anybody.
    private var isBlocked: Bool { free == 0 && first >= end }

    /// Where the reader is that is furthest ahead.
    private var first: Int64 { readers.values.filter { !$0.isHold }.map(\.position).max() ?? start }

    private var blockers: [Int: Reader] { readers.filter { $0.value.position < end - Self.capacity + Self.step } }

    /// The room that nobody's bytes are in.
    private var free: Int64 {
        let last = readers.values.map(\.position).min() ?? end
        return Self.capacity - (end - min(max(last, start), end))
    }

    /// Bytes have come. Returns whom to wake.
    mutating func didAppend(_ count: Int) -> [@Sendable () -> Void] {
        end += Int64(count)
        start = max(start, end - Self.capacity)
        let end = end
        return takeWakes { $0.position < end }
    }
}
