/// Finds the packets of a transport stream in buffers cut anywhere.
///
/// Packets are 188 bytes; some files carry four bytes before each (192, the timestamps of a Blu-ray disc) or sixteen
/// after (204, the parity of a broadcast). Which it is follows from the distance between sync bytes (ISO/IEC 13818-1,
/// 2.4.3.3 and annex G: a receiver synchronises on the repeated 0x47). After bytes that are no packets it synchronises
/// anew.
///
/// A packet's pointer is valid until the next call: most are borrowed from the pushed buffer, only one that the end of
/// a buffer cut is put together here.
struct TransportPacketSynchronizer: ~Copyable {
    /// A packet, without what some files put before or after it.
    static let packetLength = 188
    static let syncByte: UInt8 = 0x47

    /// Sync bytes in a row that are believed at the start, and after a loss (where the distance is known).
    private static let initialConfirmations = 5
    private static let resumedConfirmations = 3
    private static let strides = [188, 192, 204]
    /// More than `initialConfirmations` packets of the longest kind, so that a search always ends in a decision.
    private static let backlogCapacity = 4096

    /// The distance from one sync byte to the next; 0 until it is known.
    private(set) var stride = 0
    /// Where the packet last returned begins, in bytes since the stream's start.
    private(set) var packetOffset: Int64 = 0
    /// Bytes passed over in search of a sync byte, since they were last taken.
    private var skippedBytes: Int64 = 0

    private var isLocked = false
    /// The offset in the stream of the next byte that is looked at.
    private var position: Int64 = 0
    /// What lies between this packet and the next, still to be passed over.
    private var gap = 0
    /// The front of a packet that the last buffer cut off.
    private let partial: UnsafeMutableRawBufferPointer
    private var partialCount = 0
    /// Bytes gathered for a search; packets found among them are taken from here before the buffer goes on.
    private let backlog: UnsafeMutableRawBufferPointer
    private var backlogCount = 0
    private var backlogCursor = 0

    init() {
        partial = .allocate(byteCount: Self.packetLength, alignment: 8)
        backlog = .allocate(byteCount: Self.backlogCapacity, alignment: 8)
    }

    deinit {
        partial.deallocate()
        backlog.deallocate()
    }

    /// The next packet's 188 bytes, or nil when `input` is used up. `cursor` starts at 0 for each buffer.
    mutating func next(in input: UnsafeRawBufferPointer, at cursor: inout Int) -> UnsafeRawPointer? {
        while true {
            if !isLocked {
                fillBacklog(from: input, at: &cursor)
                guard search(isLast: false) || cursor < input.count else { return nil }
                if !isLocked { continue }
            }
            if backlogCursor < backlogCount {
                if let packet = takeFromBacklog() { return packet }
                continue
            }
            if let packet = take(from: input, at: &cursor) { return packet }
            if isLocked { return nil }
        }
    }

    /// The next of the packets that couldn't be believed while more bytes might have come, or nil.
    mutating func nextAtEnd() -> UnsafeRawPointer? {
        while isLocked || search(isLast: true) {
            guard backlogCursor < backlogCount else { return nil }
            if let packet = takeFromBacklog() { return packet }
        }
        return nil
    }

    /// Expects a packet at the next byte: a segment ends here, and with it a packet that was cut.
    mutating func realign() {
        skippedBytes += Int64(partialCount)
        partialCount = 0
        gap = 0
        position += Int64(backlogCount - backlogCursor)
        backlogCount = 0
        backlogCursor = 0
        isLocked = stride != 0
    }

    /// How many bytes were passed over in search of a packet since the last call.
    mutating func takeSkippedBytes() -> Int64 {
        defer { skippedBytes = 0 }
        return skippedBytes
    }

    // MARK: - Locked

    private mutating func takeFromBacklog() -> UnsafeRawPointer? {
        var cursor = backlogCursor
        let packet = take(from: UnsafeRawBufferPointer(rebasing: backlog[..<backlogCount]), at: &cursor)
        backlogCursor = cursor
        // What was used up must not be searched again after the next loss.
        if !isLocked || backlogCursor == backlogCount { dropBacklog(to: backlogCursor) }
        return packet
    }

    private mutating func take(from input: UnsafeRawBufferPointer, at cursor: inout Int) -> UnsafeRawPointer? {
        if gap > 0 {
            let passed = min(gap, input.count - cursor)
            advance(&cursor, by: passed)
            gap -= passed
            if gap > 0 { return nil }
        }
        let available = input.count - cursor
        guard available > 0, let base = input.baseAddress else { return nil }
        if partialCount > 0 {
            let taken = min(Self.packetLength - partialCount, available)
            keepPartial(base + cursor, count: taken)
            advance(&cursor, by: taken)
            guard partialCount == Self.packetLength else { return nil }
            partialCount = 0
            packetOffset = position - Int64(Self.packetLength)
            gap = stride - Self.packetLength
            return UnsafeRawPointer(partial.baseAddress)
        }
        guard base.load(fromByteOffset: cursor, as: UInt8.self) == Self.syncByte else {
            isLocked = false
            return nil
        }
        guard available >= Self.packetLength else {
            keepPartial(base + cursor, count: available)
            advance(&cursor, by: available)
            return nil
        }
        let packet = base + cursor
        packetOffset = position
        advance(&cursor, by: Self.packetLength)
        gap = stride - Self.packetLength
        return packet
    }

    private mutating func keepPartial(_ bytes: UnsafeRawPointer, count: Int) {
        guard count > 0, partialCount + count <= partial.count, let base = partial.baseAddress else { return }
        (base + partialCount).copyMemory(from: bytes, byteCount: count)
        partialCount += count
    }

    private mutating func advance(_ cursor: inout Int, by count: Int) {
        cursor += count
        position += Int64(count)
    }

    // MARK: - Searching

    private mutating func fillBacklog(from input: UnsafeRawBufferPointer, at cursor: inout Int) {
        let taken = min(backlog.count - backlogCount, input.count - cursor)
        guard taken > 0, let source = input.baseAddress, let target = backlog.baseAddress else { return }
        (target + backlogCount).copyMemory(from: source + cursor, byteCount: taken)
        backlogCount += taken
        cursor += taken
    }

    /// Looks for packets in the backlog, and drops from its front what is none.
    private mutating func search(isLast: Bool) -> Bool {
        var start = 0
        while start < backlogCount {
            if backlog[start] == Self.syncByte {
                switch confirm(start, isLast: isLast) {
                case .some(let found) where found > 0:
                    skip(to: start)
                    stride = found
                    gap = 0
                    isLocked = true
                    return true
                case .some:
                    break
                case .none:
                    skip(to: start)
                    return false
                }
            }
            start += 1
        }
        skip(to: backlogCount)
        return false
    }

    /// The stride with which packets begin at a place: 0 if with none, nil if more bytes are needed to tell.
    private func confirm(_ start: Int, isLast: Bool) -> Int? {
        var isUndecided = false
        if stride != 0 {
            switch confirm(start, stride: stride, count: Self.resumedConfirmations, isLast: isLast) {
            case .some(true): return stride
            case .some(false): break
            case .none: isUndecided = true
            }
        }
        for candidate in Self.strides where candidate != stride {
            switch confirm(start, stride: candidate, count: Self.initialConfirmations, isLast: isLast) {
            case .some(true): return isUndecided ? nil : candidate
            case .some(false): break
            case .none: isUndecided = true
            }
        }
        return isUndecided ? nil : 0
    }

    private func confirm(_ start: Int, stride: Int, count: Int, isLast: Bool) -> Bool? {
        for repetition in 1..<count {
            let index = start + repetition * stride
            guard index < backlogCount else {
                guard isLast else { return nil }
                return start + Self.packetLength <= backlogCount
            }
            if backlog[index] != Self.syncByte { return false }
        }
        return true
    }

    private mutating func skip(to start: Int) {
        // Up to four bytes before the first packet may be its timestamp in a file of 192-byte packets.
        skippedBytes += Int64(start)
        position += Int64(start)
        dropBacklog(to: start)
    }

    private mutating func dropBacklog(to start: Int) {
        backlogCount -= start
        backlogCursor = 0
        guard start > 0, backlogCount > 0, let base = backlog.baseAddress else { return }
        base.copyMemory(from: base + start, byteCount: backlogCount)
    }
}

/// Finds places in a transport stream at which a packet begins, without reading all of it.
package enum TransportPacketBorders {
    /// As many sync bytes in a row are believed.
    private static let confirmations = 5

    /// Places at which the stream can be cut into parts that follow each other.
    ///
    /// - Parameters:
    ///   - source: The stream's bytes.
    ///   - length: About how far the places are from each other and from both ends, in bytes.
    /// - Returns: The places in order; none in what is no transport stream, and where damage has moved its packets.
    /// - Throws: What the source throws.
    package static func borders(of source: some ByteSource, every length: Int64) throws(ContainerError) -> [Int64] {
        guard length > 0, source.length >= 2 * length else { return [] }
        let probe = SegmentFormat.probeLength
        let front = try source.bytes(0..<min(source.length, Int64(probe)), limit: probe)
        guard let grid = grid(front) else { return [] }
        var borders: [Int64] = []
        var wanted = length
        while wanted <= source.length - length {
            let border = wanted + (grid.stride - (wanted - grid.first) % grid.stride) % grid.stride
            // The packet before has to be one too.
            let begin = border - grid.stride
            let end = min(source.length, border + Int64(confirmations) * grid.stride)
            let bytes = try source.bytes(begin..<end, limit: (confirmations + 1) * Int(grid.stride))
            let starts = stride(from: 0, to: bytes.count, by: Int(grid.stride))
            if starts.allSatisfy({ bytes[$0] == TransportPacketSynchronizer.syncByte }) { borders.append(border) }
            wanted += length
        }
        return borders
    }

    /// Where the first packet begins, and how far it is to the next.
    private static func grid(_ front: [UInt8]) -> (first: Int64, stride: Int64)? {
        front.withUnsafeBytes { bytes in
            guard SegmentFormat.recognise(bytes, isWhole: false) == .transportStream else { return nil }
            var synchronizer = TransportPacketSynchronizer()
            var cursor = 0
            guard synchronizer.next(in: bytes, at: &cursor) != nil else { return nil }
            return (synchronizer.packetOffset, Int64(synchronizer.stride))
        }
    }
}
