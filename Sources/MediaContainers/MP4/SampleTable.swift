/// The sample table of a track: the offsets, sizes and times of its samples from the boxes in `stbl` (ISO/IEC 14496-12,
/// 8.5 to 8.7). The tables remain in the bytes of `moov`. Their counts are checked against their boxes, so the size of
/// the file bounds memory.
public struct SampleTable: Sendable {
    /// A run of equally sized entries in ``SampleTable/bytes``.
    struct Entries: Sendable {
        var start = 0
        var count = 0
        var width = 0
    }

    /// The packet layout of uncompressed or packed audio.
    struct Packing: Sendable, Hashable {
        var samples: Int
        var bytes: Int
    }

    /// The payload of `moov`, which contains the tables.
    let bytes: [UInt8]
    /// The offset of ``bytes`` in the file.
    let origin: Int64
    /// The entries of `stts`: count and duration.
    var timeToSample = Entries()
    /// The entries of `ctts`: count and offset.
    var compositionOffsets = Entries()
    /// The entries of `stsc`: first chunk, samples per chunk and sample description.
    var sampleToChunk = Entries()
    /// The sizes from `stsz` or `stz2` if they differ. A width of 0 means four-bit fields.
    var sizes = Entries()
    /// The size of every sample, or 0 if ``sizes`` contains them.
    var constantSize = 0
    /// The number of samples according to `stsz` or `stz2`.
    public internal(set) var sampleCount = 0
    /// The entries of `stco` or `co64`.
    var chunkOffsets = Entries()
    /// The entries of `stss`, or nil if every sample is a sync sample.
    var syncSamples: Entries?
    /// The entries of QuickTime's `stps`: samples from which all following samples in presentation order can be
    /// decoded.
    var partialSyncSamples = Entries()
    /// The packet layout of audio with samples of constant size that last one tick; otherwise nil.
    var packing: Packing?

    init(bytes: [UInt8], origin: Int64) {
        self.bytes = bytes
        self.origin = origin
    }

    /// Whether each sample lasts one tick, as in uncompressed audio.
    var hasUnitDurations: Bool { timeToSample.count == 1 && field(timeToSample, 0, 1) == 1 }

    /// Returns a 32-bit field of an entry, or 0 past the end.
    @inline(__always)
    func field(_ entries: Entries, _ index: Int, _ column: Int) -> UInt32 {
        let byteOffset = entries.start + index * entries.width + column * 4
        guard index < entries.count else { return 0 }
        return load32(byteOffset)
    }

    @inline(__always)
    func load32(_ byteOffset: Int) -> UInt32 {
        guard byteOffset >= 0, byteOffset + 4 <= bytes.count else { return 0 }
        return bytes.withUnsafeBytes {
            UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: byteOffset, as: UInt32.self))
        }
    }

    /// Returns the offset of a chunk in the file. Indices begin at 0.
    @inline(__always)
    func chunkOffset(_ index: Int) -> UInt64 {
        let byteOffset = chunkOffsets.start + index * chunkOffsets.width
        if chunkOffsets.width == 8 { return UInt64(load32(byteOffset)) << 32 | UInt64(load32(byteOffset + 4)) }
        return UInt64(load32(byteOffset))
    }

    @inline(__always)
    func size(_ index: Int) -> Int {
        if constantSize > 0 { return constantSize }
        switch sizes.width {
        case 4:
            return Int(load32(sizes.start + index * 4))
        case 2:
            let byteOffset = sizes.start + index * 2
            return Int(bytes[byteOffset]) << 8 | Int(bytes[byteOffset + 1])
        case 1:
            return Int(bytes[sizes.start + index])
        default:
            let pair = bytes[sizes.start + index / 2]
            return Int(index % 2 == 0 ? pair >> 4 : pair & 15)
        }
    }

    func damage(_ summary: String, _ entries: Entries, _ index: Int) -> ContainerError {
        ContainerError(.malformed, summary, at: origin + Int64(entries.start + index * entries.width))
    }
}
