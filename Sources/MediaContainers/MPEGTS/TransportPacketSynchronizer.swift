/// A synchronizer that finds the packets of a transport stream in buffers of any size.
///
/// Packets are 188 bytes. Some files have four bytes before each packet (192, the timestamps of Blu-ray discs) or
/// sixteen bytes after it (204, the parity of broadcasts). The distance between sync bytes reveals the form.
///
/// The pointer of a packet is valid until the next call.
struct TransportPacketSynchronizer: ~Copyable {
    /// The length of a packet in bytes, without the additional bytes of some files.
    static let packetLength = 188
    static let syncByte: UInt8 = 0x47

    /// The number of consecutive sync bytes required while the distance is unknown.
    private static let initialConfirmations = 5
    /// The number of consecutive sync bytes required after a loss of sync.
    private static let resumedConfirmations = 3
    private static let strides = [188, 192, 204]
    /// The capacity for a search in bytes, which exceeds `initialConfirmations` packets of the longest form.
    private static let backlogCapacity = 4096

    /// The distance between sync bytes, or 0 until it is known.
    private(set) var stride = 0
    /// The offset of the last returned packet from the start of the stream.
    private(set) var packetOffset: Int64 = 0
    /// The number of bytes skipped in search of a sync byte, or dropped with an incomplete packet, since
    /// ``takeSkippedBytes()``.
    private var skippedBytes: Int64 = 0

    private var isLocked = false
    /// The offset in the stream of the next byte to examine.
    private var position: Int64 = 0
    /// The number of bytes left to skip between this packet and the next.
    private var gap = 0
    /// The first part of a packet divided between buffers.
    private let partial: UnsafeMutableRawBufferPointer
    private var partialCount = 0
    /// The bytes collected for a search. Packets found in them are returned before those in the rest of the input.
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

    /// Returns the 188 bytes of the next packet, or nil when `input` is exhausted. `cursor` starts at 0 for each
    /// buffer.
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

    /// Returns the next packet that couldn't be confirmed before the end of the data, or nil.
    mutating func nextAtEnd() -> UnsafeRawPointer? {
        while isLocked || search(isLast: true) {
            guard backlogCursor < backlogCount else { return nil }
            if let packet = takeFromBacklog() { return packet }
        }
        return nil
    }

    /// Expects a packet at the next byte, because a segment has ended. Drops an incomplete packet.
    mutating func realign() {
        skippedBytes += Int64(partialCount)
        partialCount = 0
        gap = 0
        position += Int64(backlogCount - backlogCursor)
        backlogCount = 0
        backlogCursor = 0
        isLocked = stride != 0
    }

    /// Returns the number of bytes skipped or dropped since the last call.
    mutating func takeSkippedBytes() -> Int64 {
        defer { skippedBytes = 0 }
        return skippedBytes
    }

    // MARK: - Locked

    private mutating func takeFromBacklog() -> UnsafeRawPointer? {
        var cursor = backlogCursor
        let packet = take(from: UnsafeRawBufferPointer(rebasing: backlog[..<backlogCount]), at: &cursor)
        backlogCursor = cursor
        // Consumed bytes must not be searched again after the next loss.
        if !isLocked || backlogCursor == backlogCount { dropBacklog(to: backlogCursor) }
        return packet
    }

    private mutating func take(from input: UnsafeRawBufferPointer, at cursor: inout Int) -> UnsafeRawPointer? {
        if gap > 0 {
            let count = min(gap, input.count - cursor)
            advance(&cursor, by: count)
            gap -= count
            if gap > 0 { return nil }
        }
        let available = input.count - cursor
        guard available > 0, let base = input.baseAddress else { return nil }
        if partialCount > 0 {
            let count = min(Self.packetLength - partialCount, available)
            appendPartial(base + cursor, count: count)
            advance(&cursor, by: count)
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
            appendPartial(base + cursor, count: available)
            advance(&cursor, by: available)
            return nil
        }
        let packet = base + cursor
        packetOffset = position
        advance(&cursor, by: Self.packetLength)
        gap = stride - Self.packetLength
        return packet
    }

    private mutating func appendPartial(_ bytes: UnsafeRawPointer, count: Int) {
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
        let count = min(backlog.count - backlogCount, input.count - cursor)
        guard count > 0, let source = input.baseAddress, let target = backlog.baseAddress else { return }
        (target + backlogCount).copyMemory(from: source + cursor, byteCount: count)
        backlogCount += count
        cursor += count
    }

    /// Looks for packets in the backlog and drops the bytes before the first one. Returns whether any were found.
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

    /// Returns the distance between packets that begin at an index: 0 if there are none, nil if more bytes are needed.
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
        // In a file of 192-byte packets, these bytes include the timestamp before the first packet. The demuxer ignores
        // that.
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

/// The search for packet boundaries in a transport stream, without reading all of it.
package enum TransportPacketBoundaries {
    /// The number of consecutive sync bytes required from a boundary on, unless the stream ends earlier.
    private static let confirmations = 5

    /// Returns offsets at which the stream can be divided into parts of about `length` bytes, in order, without those
    /// at which damage has displaced the packets. Returns none if the source isn't a transport stream or is shorter
    /// than two parts. Throws the errors of the source.
    package static func boundaries(of source: some ByteSource, every length: Int64) throws(ContainerError) -> [Int64] {
        guard length > 0, source.length >= 2 * length else { return [] }
        let probe = SegmentFormat.probeLength
        let front = try source.bytes(0..<min(source.length, Int64(probe)), limit: probe)
        guard let grid = grid(front) else { return [] }
        var boundaries: [Int64] = []
        var target = length
        while target <= source.length - length {
            let boundary = target + (grid.stride - (target - grid.first) % grid.stride) % grid.stride
            // A packet must precede the boundary as well.
            let begin = boundary - grid.stride
            let end = min(source.length, boundary + Int64(confirmations) * grid.stride)
            let bytes = try source.bytes(begin..<end, limit: (confirmations + 1) * Int(grid.stride))
            let starts = stride(from: 0, to: bytes.count, by: Int(grid.stride))
            if starts.allSatisfy({ bytes[$0] == TransportPacketSynchronizer.syncByte }) { boundaries.append(boundary) }
            target += length
        }
        return boundaries
    }

    /// Returns the offset of the first packet and the distance between packets.
    private static func grid(_ front: [UInt8]) -> (first: Int64, stride: Int64)? {
        front.withUnsafeBytes { bytes in
            guard SegmentFormat.recognize(bytes, isWhole: false) == .transportStream else { return nil }
            var synchronizer = TransportPacketSynchronizer()
            var cursor = 0
            guard synchronizer.next(in: bytes, at: &cursor) != nil else { return nil }
            return (synchronizer.packetOffset, Int64(synchronizer.stride))
        }
    }
}
