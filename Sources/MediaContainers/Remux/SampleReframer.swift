/// A converter of sample bytes to the form stored in MP4: NAL units with length fields of four bytes (ISO/IEC 14496-15,
/// 4.3.2), and audio without the headers of its transport.
final class SampleReframer {
    private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    private var multiplex = LOASPayload()
    private var unpacked: [UInt8] = []

    deinit { storage.deallocate() }

    /// Calls `body` with the stored form and 1. For LATM, calls it for each contained frame with the number of frames.
    func reframe(
        _ bytes: UnsafeRawBufferPointer, _ format: MediaFormat,
        _ body: (_ stored: UnsafeRawBufferPointer, _ count: Int) throws(ContainerError) -> Void
    ) throws(ContainerError) {
        switch format.framing {
        case .stored: try body(bytes, 1)
        case .adts:
            let header = ADTSHeader(bytes, at: 0)?.headerLength ?? 0
            try body(UnsafeRawBufferPointer(rebasing: bytes[min(header, bytes.count)...]), 1)
        case .startCodes: try body(lengthPrefixed(bytes, format.codec.nalUnits), 1)
        case .loas:
            unpacked.removeAll(keepingCapacity: true)
            let lengths = try multiplex.append(bytes, to: &unpacked)
            try unpacked.withBorrowedBytes { (all) throws(ContainerError) in
                var start = 0
                for length in lengths {
                    try body(UnsafeRawBufferPointer(rebasing: all[start..<start + length]), lengths.count)
                    start += length
                }
            }
        }
    }

    /// Replaces start codes with lengths. Drops zero bytes after a unit, which are padding of the byte stream
    /// (14496-10, B.1.1), and parameter sets that belong in the configuration record.
    private func lengthPrefixed(_ bytes: UnsafeRawBufferPointer, _ syntax: NALUnitSyntax?) -> UnsafeRawBufferPointer {
        reserve(bytes)
        guard let source = bytes.baseAddress, let target = storage.baseAddress else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        let syntax = syntax?.hasSetsInConfigurationOnly == true ? syntax : nil
        var written = 0
        var code = StartCode.first(in: bytes, from: 0, to: bytes.count)
        while let found = code {
            let start = found + StartCode.length
            let next = StartCode.first(in: bytes, from: start, to: bytes.count)
            var end = next ?? bytes.count
            while end > start, bytes[end - 1] == 0 { end -= 1 }
            let length = end - start
            let isParameterSet = length > 0 && syntax?.isParameterSet(bytes[start]) == true
            if length > 0, !isParameterSet {
                (target + written).storeBytes(of: UInt32(truncatingIfNeeded: length).bigEndian, as: UInt32.self)
                (target + written + 4).copyMemory(from: source + start, byteCount: length)
                written += 4 + length
            }
            code = next
        }
        return UnsafeRawBufferPointer(start: target, count: written)
    }

    /// Allocates storage for the converted sample. Each unit has at least four bytes, including its start code, and
    /// grows by at most one.
    private func reserve(_ bytes: UnsafeRawBufferPointer) {
        let needed = bytes.count + bytes.count / 4 + 8
        guard needed > storage.count else { return }
        storage.deallocate()
        storage = .allocate(byteCount: needed + needed / 2, alignment: 16)
    }
}

/// A group of Enhanced AC-3 frames with fewer than six audio blocks. An MP4 sample contains six blocks of each
/// substream, as many as a frame of AC-3 (ETSI TS 102 366, annexes E and F).
///
/// A sample before a gap, before a change of format or at the end may have fewer, so that no audio is lost.
struct AudioBlockGroup {
    private static let blocksOfSample = 6
    private static let samplesOfBlock = 256

    private var first: MediaSample?
    private var end: Int64 = 0
    private var blocks = 0
    private var bytes: [UInt8] = []

    var isComplete: Bool { blocks >= Self.blocksOfSample }

    /// Returns whether the group is empty and a frame forms a complete sample, as nearly all frames do.
    func canBypass(with frame: UnsafeRawBufferPointer) -> Bool {
        first == nil && Self.blocks(in: frame) >= Self.blocksOfSample
    }

    /// Returns whether a sample has the group's format and begins at its end, except for rounding.
    func continues(with sample: MediaSample) -> Bool {
        guard let first else { return true }
        return sample.formatIndex == first.formatIndex
            && sample.dts.subtractingClamped(end).magnitude <= sample.duration.magnitude / 2
    }

    mutating func append(_ sample: MediaSample, _ frame: UnsafeRawBufferPointer) {
        if first == nil { first = sample }
        end = sample.dts.addingClamped(sample.duration)
        blocks += Self.blocks(in: frame)
        bytes += frame
    }

    /// Removes and returns the frames as one sample, or nil if the group is empty.
    mutating func take() -> (sample: MediaSample, bytes: [UInt8])? {
        guard var sample = first else { return nil }
        sample.duration = end.subtractingClamped(sample.dts)
        sample.size = bytes.count
        defer { self = AudioBlockGroup() }
        return (sample, bytes)
    }

    /// Returns the number of audio blocks of the first independent substream.
    private static func blocks(in bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        var place = 0
        while let frame = AC3SyncFrame(bytes, at: place) {
            if frame.streamType != 1, frame.substreamID == 0 { count += frame.samples / samplesOfBlock }
            place += frame.length
        }
        // An unreadable frame is treated as a complete sample and stays unchanged.
        return count == 0 ? blocksOfSample : count
    }
}
