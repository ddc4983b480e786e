/// Where a track's samples are and when, as the boxes in `stbl` say (ISO/IEC 14496-12, 8.5 to 8.7).
///
/// The tables stay in the bytes of `moov` as they were stored; a ``SampleCursor`` walks through them. Their counts are
/// checked against the boxes that hold them, so memory is bounded by the file's own size.
public struct SampleTable: Sendable {
    /// A run of entries of one width in ``SampleTable/bytes``.
    struct Entries: Sendable {
        var start = 0
        var count = 0
        var width = 0
    }

    /// How a track of uncompressed or packed sound maps samples to bytes.
    struct Packing: Sendable, Hashable {
        /// Samples of sound that share one packet.
        var samples: Int
        /// Bytes of one packet.
        var bytes: Int
    }

    /// The payload of `moov`, which the tables lie in.
    let bytes: [UInt8]
    /// Where ``bytes`` begins in the file.
    let origin: Int64
    /// `stts`: count and duration.
    var timeToSample = Entries()
    /// `ctts`: count and offset.
    var compositionOffsets = Entries()
    /// `stsc`: first chunk, samples per chunk, sample description.
    var sampleToChunk = Entries()
    /// `stsz` or `stz2`: sizes, where they differ. A width of 0 stands for fields of four bits.
    var sizes = Entries()
    /// The size of every sample, or 0 where ``sizes`` has them.
    var constantSize = 0
    /// How many samples the track has, by `stsz` or `stz2`.
    public internal(set) var sampleCount = 0
    /// `stco` or `co64`.
    var chunkOffsets = Entries()
    /// `stss`, or nil when every sample is a sync sample.
    var syncSamples: Entries?
    /// `stps` of QuickTime: samples after which all that follow in presentation order can be decoded.
    var partialSyncSamples = Entries()
    /// `sdtp`, a byte for each sample.
    var dependencies = Entries()
    /// For sound whose samples are packed or of constant size and one tick: how many go together.
    var packing: Packing?

    /// Creates a table without samples.
    init(bytes: [UInt8], origin: Int64) {
        self.bytes = bytes
        self.origin = origin
    }

    /// Whether one tick of the timescale is one sample, as with uncompressed sound.
    var hasUnitDurations: Bool { timeToSample.count == 1 && field(timeToSample, 0, 1) == 1 }

    /// What `sdtp` says of a sample (14496-12, 8.6.4.2): is_leading, depends_on, is_depended_on and has_redundancy in
    /// two bits each, or nil where the track doesn't say.
    public func dependency(ofSample index: Int) -> UInt8? {
        index >= 0 && index < dependencies.count ? bytes[dependencies.start + index] : nil
    }

    /// Reads a 32-bit field of an entry; 0 past the end.
    @inline(__always)
    func field(_ entries: Entries, _ index: Int, _ column: Int) -> UInt32 {
        let place = entries.start + index * entries.width + column * 4
        guard index < entries.count else { return 0 }
        return load32(place)
    }

    @inline(__always)
    func load32(_ place: Int) -> UInt32 {
        guard place >= 0, place + 4 <= bytes.count else { return 0 }
        return bytes.withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt32.self)) }
    }

    /// The place of a chunk in the file by its index from 0.
    @inline(__always)
    func chunkOffset(_ index: Int) -> UInt64 {
        let place = chunkOffsets.start + index * chunkOffsets.width
        if chunkOffsets.width == 8 { return UInt64(load32(place)) << 32 | UInt64(load32(place + 4)) }
        return UInt64(load32(place))
    }

    /// The size of a sample by its index from 0.
    @inline(__always)
    func size(_ index: Int) -> Int {
        if constantSize > 0 { return constantSize }
        switch sizes.width {
        case 4:
            return Int(load32(sizes.start + index * 4))
        case 2:
            let place = sizes.start + index * 2
            return Int(bytes[place]) << 8 | Int(bytes[place + 1])
        case 1:
            return Int(bytes[sizes.start + index])
        default:
            let pair = bytes[sizes.start + index / 2]
            return Int(index % 2 == 0 ? pair >> 4 : pair & 15)
        }
    }

    /// An error about an entry of a table.
    func damage(_ what: String, _ entries: Entries, _ index: Int) -> ContainerError {
        ContainerError(.malformed, what, at: origin + Int64(entries.start + index * entries.width))
    }
}
