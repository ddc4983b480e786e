/// The most recent bytes of a transfer that aren't stored in a file, and the positions of their readers.
///
/// The bytes are in a ring buffer. The foremost reader sets the pace. Bytes behind it remain for slower readers as long
/// as there's space. If a reader falls behind by the capacity of the ring, the others wait for it, but only for a
/// limited time in total. Then the reader is removed.
struct MemoryBlob {
    static let capacity: Int64 = 1 << 20
    /// The maximum number of bytes received ahead of the foremost reader.
    static let lookahead: Int64 = 512 << 10
    /// The maximum distance of a joining reader from the received bytes. Readers farther away send their own requests.
    static let nearDistance: Int64 = 256 << 10
    /// The total time that the others wait for a slow reader.
    static let grace = Duration.milliseconds(250)
    /// The minimum number of bytes freed by the removal of slow readers.
    static let step: Int64 = 64 << 10

    struct Reader {
        var position: Int64
        var transferClass: TransferClass
        /// Whether it only preserves bytes for readers that are about to join. Such a reader is never removed.
        var isHold: Bool
        var wake: (@Sendable () -> Void)?
        /// The total time that others have waited for this reader.
        var delay = Duration.zero
    }

    /// The range of the bytes in the ring.
    private(set) var start: Int64
    private(set) var end: Int64
    /// The exclusive end of the requested bytes; `Int64.max` if it depends on an unknown length.
    let limit: Int64
    /// Whether the origin ignores ranges and always sends all bytes. A separate request then isn't faster than waiting.
    let sendsAll: Bool
    private(set) var readers: [Int: Reader] = [:]
    private var nextID = 0
    /// The time up to which delays have been counted; nil while no reader waits for others.
    private var countedUntil: Duration?
    private(set) var hasHadReaders = false
    /// The ring buffer, allocated when the first bytes are appended. The index of a byte is its offset modulo the
    /// buffer's size.
    private var memory: [UInt8] = []

    /// - Parameters:
    ///   - start: The position of the first byte to be received.
    ///   - preceding: Bytes of the same version that end there.
    init(start: Int64, limit: Int64, sendsAll: Bool = false, preceding: [UInt8] = []) {
        self.start = start - Int64(preceding.count)
        end = self.start
        self.limit = limit
        self.sendsAll = sendsAll
        if !preceding.isEmpty { _ = preceding.withUnsafeBytes { append($0) } }
    }

    /// The highest transfer class of the readers that aren't holds; nil if there are none.
    var transferClass: TransferClass? { readers.values.filter { !$0.isHold }.map(\.transferClass).max() }

    // MARK: - Readers

    /// Returns whether the byte at `position` is in the ring or will be received sooner than with a separate request.
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

    /// Sets a reader's wake function. Returns the replaced one.
    mutating func setWake(_ wake: @escaping @Sendable () -> Void, of id: Int) -> (@Sendable () -> Void)? {
        defer { readers[id]?.wake = wake }
        return readers[id]?.wake
    }

    /// Removes and returns the wake functions of waiting readers.
    mutating func takeWakes(where isConcerned: (Reader) -> Bool = { _ in true }) -> [@Sendable () -> Void] {
        readers.compactMap { id, reader in
            guard isConcerned(reader), let wake = reader.wake else { return nil }
            readers[id]?.wake = nil
            return wake
        }
    }

    // MARK: - Space

    /// Returns the number of bytes that can be received now, and the readers removed to make space.
    mutating func makeSpace(now: Duration) -> (count: Int, fallen: [Reader]) {
        charge(now: now)
        let needed = Self.lookahead.clampedSum(first - end)
        guard needed > 0 else { return (0, []) }
        guard isBlocked else { return (Int(min(needed, free)), []) }
        guard blockers.allSatisfy({ !$0.value.isHold && $0.value.delay >= Self.grace }) else { return (0, []) }
        let fallen = blockers
        for id in fallen.keys { readers[id] = nil }
        countedUntil = nil
        return (Int(min(needed, free)), Array(fallen.values))
    }

    /// Adds the time since the last call to the delay of the readers that the others wait for.
    mutating func charge(now: Duration) {
        if let countedUntil {
            for id in blockers.keys { readers[id]?.delay += now - countedUntil }
        }
        countedUntil = isBlocked ? now : nil
    }

    /// Whether the foremost reader has read all received bytes and the ring has no space for more.
    private var isBlocked: Bool { free == 0 && first >= end }

    private var first: Int64 { readers.values.filter { !$0.isHold }.map(\.position).max() ?? start }

    /// The readers that haven't read the bytes to be overwritten next.
    private var blockers: [Int: Reader] { readers.filter { $0.value.position < end - Self.capacity + Self.step } }

    /// The number of bytes that can be appended without overwriting unread ones.
    private var free: Int64 {
        let last = readers.values.map(\.position).min() ?? end
        return Self.capacity - (end - min(max(last, start), end))
    }

    // MARK: - Bytes

    /// Appends bytes for which ``makeSpace(now:)`` has made space. Returns the wake functions of waiting readers.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> [@Sendable () -> Void] {
        if memory.isEmpty { memory = Array(repeating: 0, count: Int(min(Self.capacity, limit - start))) }
        let (from, end) = (Int(end % Int64(memory.count)), end + Int64(bytes.count))
        memory.withUnsafeMutableBytes { memory in
            let first = min(bytes.count, memory.count - from)
            UnsafeMutableRawBufferPointer(rebasing: memory[from..<from + first])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<first]))
            UnsafeMutableRawBufferPointer(rebasing: memory[..<(bytes.count - first)])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[first...]))
        }
        self.end = end
        start = max(start, end - Self.capacity)
        return takeWakes { $0.position < end }
    }

    /// Returns the number of bytes in the ring before `position`; 0 if they don't reach it.
    func count(before position: Int64) -> Int64 { position <= end ? max(0, position - start) : 0 }

    /// Returns whether the ring has these bytes at `offset`.
    func matches(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 16) { buffer in
            copy(to: buffer, at: offset) && buffer.elementsEqual(bytes)
        }
    }

    /// Copies bytes to `buffer`. Returns false unless all of them are in the ring.
    func copy(to buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Bool {
        guard offset >= start, offset + Int64(buffer.count) <= end, !memory.isEmpty else { return false }
        memory.withUnsafeBytes { memory in
            let from = Int(offset % Int64(memory.count))
            let first = min(buffer.count, memory.count - from)
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[from..<from + first]))
            UnsafeMutableRawBufferPointer(rebasing: buffer[first...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<(buffer.count - first)]))
        }
        return true
    }
}
