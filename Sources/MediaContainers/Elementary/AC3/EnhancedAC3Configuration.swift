/// The content of `dec3` (ETSI TS 102 366, F.6) for one independent substream and its dependent ones.
struct EnhancedAC3Configuration {
    let bytes: [UInt8]

    init(_ frame: UnsafeRawBufferPointer, _ header: AC3SyncFrame) {
        var dependents: UInt32 = 0
        var locations: UInt32 = 0
        var end = header.length
        var total = header.length
        while let next = AC3SyncFrame(frame, at: end), next.streamType == 1 {
            dependents += 1
            locations |= Self.locations(frame, at: end)
            total = end + next.length
            end += next.length
        }
        // data_rate in kilobits per second, of the whole.
        let rate = UInt32(min(0x1FFF, total * 8 * header.sampleRate / max(1, header.samples) / 1000))
        let front = rate << 3
        var substream = UInt32(header.sampleRateCode) << 30 | UInt32(header.bitStreamID) << 25
        substream |= UInt32(header.bitStreamMode) << 20 | UInt32(header.channelMode) << 17
        substream |= (header.hasLowFrequency ? 1 : 0) << 16 | dependents << 9 | (dependents > 0 ? locations : 0)
        var bytes = [UInt8(truncatingIfNeeded: front >> 8), UInt8(truncatingIfNeeded: front)]
        for shift in [24, 16, 8] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: substream >> shift)) }
        // Without dependent substreams one reserved bit takes the place of chan_loc.
        if dependents > 0 { bytes.append(UInt8(truncatingIfNeeded: substream)) }
        self.bytes = bytes
    }

    /// `chan_loc` from the channel map of a dependent substream (tables E.5 and F.6.1).
    private static func locations(_ frame: UnsafeRawBufferPointer, at place: Int) -> UInt32 {
        var reader = BitReader(UnsafeRawBufferPointer(rebasing: frame[place...]))
        guard (try? reader.skip(16 + 16 + 4)) != nil, let mode = try? reader.bits(3), (try? reader.skip(11)) != nil
        else { return 0 }
        for _ in 0..<(mode == 0 ? 2 : 1) {
            guard let compresses = try? reader.flag() else { return 0 }
            if compresses, (try? reader.skip(8)) == nil { return 0 }
            if mode == 0, (try? reader.skip(5)) == nil { return 0 }
        }
        guard (try? reader.flag()) == true, let map = try? reader.bits(16) else { return 0 }
        var locations: UInt32 = 0
        for bit in 0..<8 where map & (1 << UInt32(10 - bit)) != 0 { locations |= 1 << UInt32(bit) }
        if map & 2 != 0 { locations |= 1 << 8 }
        return locations
    }
}
