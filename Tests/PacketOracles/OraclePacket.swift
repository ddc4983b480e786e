/// One packet as ffprobe tells it, corrected by what the standards say.
public struct OraclePacket: Sendable, Hashable {
    /// What of a sample's bytes the size and the checksum are of.
    public enum Content: Sendable, Hashable {
        /// All of them.
        case whole
        /// All but the first so many.
        case withoutFirst(Int)
        /// Pairs of CEA-608 behind a box header, each with a byte 0xFC before it.
        case captions

        /// What is counted of a sample's bytes.
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

        /// How many bytes are counted of a sample of so many.
        public func size(of count: Int) -> Int {
            switch self {
            case .whole: count
            case .withoutFirst(let first): count - first
            case .captions: (count - 8) / 2 * 3
            }
        }
    }

    /// When it's shown, in ticks of the stream; nil where that isn't told.
    public var pts: Int64?
    /// When it's decoded, in ticks of the stream; nil where that isn't told.
    public var dts: Int64?
    /// How long it lasts, in ticks of the stream; nil where that isn't told.
    public var duration: Int64?
    /// In bytes.
    public var size: Int
    /// Whether decoding can start here.
    public var isSync: Bool
    /// Whether it is decoded and not shown.
    public var isHidden: Bool
    /// The CRC-32.
    public var checksum: UInt32
    /// What size and checksum are of.
    public var content = Content.whole

    /// Reads a line `stream,pts,dts,duration,size,flags,crc32` behind its first field.
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
