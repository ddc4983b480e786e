/// How uncompressed sound is stored (ISO/IEC 23003-5).
public struct PCMConfiguration: Sendable, Hashable {
    /// Whether samples are floating-point numbers, or signed integers.
    public var isFloat: Bool
    /// Whether the least significant byte comes first.
    public var isLittleEndian: Bool
    /// Bits of a sample: 16, 24 or 32 of integers, 32 or 64 of floating-point numbers.
    public var bits: Int

    /// A configuration; nil where the standard has none.
    public init?(isFloat: Bool, isLittleEndian: Bool, bits: Int) {
        guard isFloat ? [32, 64].contains(bits) : [16, 24, 32].contains(bits) else { return nil }
        self.isFloat = isFloat
        self.isLittleEndian = isLittleEndian
        self.bits = bits
    }

    /// Reads the content of `pcmC`; the entry that it stands in says whether it's about floating-point numbers.
    init?(box: [UInt8], isFloat: Bool) {
        guard box.count >= 2 else { return nil }
        self.init(isFloat: isFloat, isLittleEndian: box[0] & 1 != 0, bits: Int(box[1]))
    }

    /// Reads a format's configuration.
    public init?(record: [UInt8]) {
        guard record.count == 3 else { return nil }
        self.init(box: record, isFloat: record[2] != 0)
    }

    /// What a QuickTime sample entry says (QuickTime File Format, Sound Sample Descriptions).
    ///
    /// - Parameters:
    ///   - entry: Its type.
    ///   - bits: Bits of a sample by its fields.
    ///   - channels: How many channels it has.
    ///   - isLittleEndian: What `enda` says, or nil.
    ///   - flags: The flags of `lpcm` in a description of version 2: 1 floating-point, 2 big-endian, 4 signed, 8 packed,
    ///     32 not interleaved.
    ///   - packing: What it says of its packets, or nil.
    /// - Returns: Nil for what the standard has no configuration for: among others samples in words wider than they are,
    ///   and channels one after the other.
    init?(
        quickTime entry: FourCC, bits: Int, channels: Int, isLittleEndian: Bool?, flags: UInt32,
        packing: SampleTable.Packing?
    ) {
        switch entry {
        case "sowt": self.init(isFloat: false, isLittleEndian: true, bits: bits)
        case "twos": self.init(isFloat: false, isLittleEndian: false, bits: bits)
        case "in24": self.init(isFloat: false, isLittleEndian: isLittleEndian ?? false, bits: 24)
        case "in32": self.init(isFloat: false, isLittleEndian: isLittleEndian ?? false, bits: 32)
        case "fl32": self.init(isFloat: true, isLittleEndian: isLittleEndian ?? false, bits: 32)
        case "fl64": self.init(isFloat: true, isLittleEndian: isLittleEndian ?? false, bits: 64)
        case "lpcm" where flags & 5 != 0 && (flags & 32 == 0 || channels == 1):
            self.init(isFloat: flags & 1 != 0, isLittleEndian: flags & 2 == 0, bits: bits)
        default: return nil
        }
        // Samples that aren't packed may fill their words all the same; the size of a packet tells.
        guard let packing else {
            if entry == "lpcm", flags & 8 == 0 { return nil }
            return
        }
        let (samples, areTooMany) = packing.samples.multipliedReportingOverflow(by: channels)
        let (bytes, isTooLarge) = samples.multipliedReportingOverflow(by: self.bits / 8)
        guard !areTooMany, !isTooLarge, bytes == packing.bytes else { return nil }
    }

    /// The content of `pcmC` after version and flags: whether the least significant byte comes first, and bits.
    var box: [UInt8] { [isLittleEndian ? 1 : 0, UInt8(truncatingIfNeeded: bits)] }

    /// The configuration of a format: the content of `pcmC`, then whether it's about floating-point numbers.
    public var record: [UInt8] { box + [isFloat ? 1 : 0] }
}
