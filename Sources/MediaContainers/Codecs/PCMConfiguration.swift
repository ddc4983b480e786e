/// The sample format of uncompressed audio (ISO/IEC 23003-5).
public struct PCMConfiguration: Sendable, Hashable {
    /// Whether samples are floating-point numbers instead of signed integers.
    public var isFloat: Bool
    /// Whether the least significant byte comes first.
    public var isLittleEndian: Bool
    /// Bits per sample: 16, 24 or 32 for integers, 32 or 64 for floating-point numbers.
    public var bits: Int

    /// Creates a configuration. Returns nil if the standard doesn't define the combination.
    public init?(isFloat: Bool, isLittleEndian: Bool, bits: Int) {
        guard isFloat ? [32, 64].contains(bits) : [16, 24, 32].contains(bits) else { return nil }
        self.isFloat = isFloat
        self.isLittleEndian = isLittleEndian
        self.bits = bits
    }

    /// Reads the content of `pcmC`. The type of the sample entry determines `isFloat`.
    init?(box: [UInt8], isFloat: Bool) {
        guard box.count >= 2 else { return nil }
        self.init(isFloat: isFloat, isLittleEndian: box[0] & 1 != 0, bits: Int(box[1]))
    }

    /// Reads a ``record``. Returns nil if it isn't three bytes long or has an undefined combination.
    public init?(record: [UInt8]) {
        guard record.count == 3 else { return nil }
        self.init(box: record, isFloat: record[2] != 0)
    }

    /// Reads the fields of a QuickTime sample entry (QuickTime File Format, Sound Sample Descriptions).
    ///
    /// Returns nil for formats that the standard doesn't define, such as samples padded to wider words and
    /// non-interleaved channels. `isLittleEndian` is the value of `enda`, if any. `flags` are those of `lpcm` in a
    /// version 2 description: 1 floating-point, 2 big-endian, 4 signed, 8 packed, 32 non-interleaved.
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
        // Samples without the packed flag may still fill their words, which the packet size reveals.
        guard let packing else {
            if entry == "lpcm", flags & 8 == 0 { return nil }
            return
        }
        let (samples, areTooMany) = packing.samples.multipliedReportingOverflow(by: channels)
        let (bytes, isTooLarge) = samples.multipliedReportingOverflow(by: self.bits / 8)
        guard !areTooMany, !isTooLarge, bytes == packing.bytes else { return nil }
    }

    /// The content of `pcmC` after version and flags: the little-endian flag, then bits per sample.
    var box: [UInt8] { [isLittleEndian ? 1 : 0, UInt8(truncatingIfNeeded: bits)] }

    /// The decoder configuration of a ``MediaFormat``: the content of `pcmC`, followed by 1 for floating-point samples,
    /// otherwise 0.
    public var record: [UInt8] { box + [isFloat ? 1 : 0] }
}
