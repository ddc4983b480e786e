/// A packet listed by ffprobe, corrected according to the standards.
public struct OraclePacket: Sendable, Hashable {
    /// The part of a sample to which the size and the checksum apply.
    public enum Content: Sendable, Hashable {
        /// All bytes.
        case whole
        /// All bytes except the given number at the start.
        case withoutFirst(Int)
        /// The CEA-608 pairs after a box header, each preceded by the byte 0xFC.
        case captions

        /// Returns this part of a sample's bytes.
        public func of(_ bytes: [UInt8]) -> [UInt8] {
            switch self {
            case .whole: return bytes
            case .withoutFirst(let count): return Array(bytes.dropFirst(count))
            case .captions:
                let pairs = bytes.dropFirst(8)
                return stride(from: pairs.startIndex, to: pairs.endIndex - 1, by: 2)
                    .flatMap { [0xFC, pairs[$0], pairs[$0 + 1]] }
            }
        }

        /// Returns the size of this part in a sample of `count` bytes.
        public func size(of count: Int) -> Int {
            switch self {
            case .whole: count
            case .withoutFirst(let first): count - first
            case .captions: (count - 8) / 2 * 3
            }
        }
    }

    /// The presentation time in ticks of the stream, or nil.
    public var pts: Int64?
    /// The decoding time in ticks of the stream, or nil.
    public var dts: Int64?
    /// The duration in ticks of the stream, or nil.
    public var duration: Int64?
    /// The size in bytes.
    public var size: Int
    /// Whether decoding can start at the packet.
    public var isSync: Bool
    /// Whether the packet is decoded but not presented.
    public var isHidden: Bool
    /// The CRC-32 of the bytes.
    public var checksum: UInt32
    /// The part of the bytes to which ``size`` and ``checksum`` apply.
    public var content = Content.whole

    /// Reads the fields `pts,dts,duration,size,flags,crc32`, which follow the stream number in a line. Returns nil for
    /// other fields.
    init?(_ fields: some Collection<Substring>) {
        let fields = Array(fields)
        guard fields.count == 6, let size = Int(fields[3]), let checksum = UInt32(fields[5], radix: 16) else {
            return nil
        }
        pts = Int64(fields[0])
        dts = Int64(fields[1])
        duration = Int64(fields[2])
        self.size = size
        isSync = fields[4].contains("K")
        isHidden = fields[4].contains("D")
        self.checksum = checksum
    }
}
