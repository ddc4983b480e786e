/// A segment index, `sidx` (ISO/IEC 14496-12, 8.16.3).
public struct SegmentIndex: Sendable, Hashable {
    /// A part that the index refers to.
    public struct Reference: Sendable, Hashable {
        /// Whether it is another `sidx` instead of media.
        public var isIndex: Bool
        /// Its size in bytes.
        public var size: UInt32
        /// Its duration in the index's timescale.
        public var duration: UInt32
        /// Whether it starts with a stream access point.
        public var startsWithSAP: Bool
        /// The type of the stream access point, 0 to 6.
        public var typeOfSAP: UInt8
    }

    /// The track that the index is for.
    public var trackID: UInt32
    /// Ticks per second of its times.
    public var timescale: UInt32
    /// The earliest presentation time of the first part.
    public var earliestPresentationTime: UInt64
    /// Where the first part begins in the file.
    public var firstOffset: Int64
    /// The parts, one after the other.
    public var references: [Reference] = []

    /// Reads a `sidx`.
    ///
    /// - Parameters:
    ///   - payload: The box's bytes after its header.
    ///   - header: The box's header: places are counted from its end.
    /// - Throws: ``ContainerError`` when there are fewer bytes than references.
    public init(payload: [UInt8], header: BoxHeader) throws(ContainerError) {
        self = try payload.withReader(at: header.payload.lowerBound) { (reader) throws(ContainerError) in
            try SegmentIndex(&reader, end: header.end)
        }
    }

    private init(_ reader: inout ByteReader, end: Int64) throws(ContainerError) {
        let full = try FullBox(&reader)
        trackID = try reader.uint32()
        timescale = try reader.uint32()
        let isWide = full.version > 0
        earliestPresentationTime = isWide ? try reader.uint64() : UInt64(try reader.uint32())
        let distance = isWide ? try reader.uint64() : UInt64(try reader.uint32())
        firstOffset = end.addingClamped(Int64(clamping: distance))
        try reader.skip(2)
        for _ in 0..<(try reader.uint16()) {
            let size = try reader.uint32()
            let duration = try reader.uint32()
            let access = try reader.uint32()
            references.append(
                Reference(
                    isIndex: size >> 31 != 0, size: size & 0x7FFF_FFFF, duration: duration,
                    startsWithSAP: access >> 31 != 0, typeOfSAP: UInt8(access >> 28 & 7)))
        }
    }
}
