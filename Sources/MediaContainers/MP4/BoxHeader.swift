/// The header of a box: its type, and where it lies (ISO/IEC 14496-12, 4.2).
public struct BoxHeader: Sendable, Hashable {
    /// The box's type; `uuid` for boxes named by ``userType``.
    public var type: FourCC
    /// The 16-byte extended type of a `uuid` box, or nil.
    public var userType: UserType?
    /// Where the box begins, in bytes from the start of the file.
    public var offset: Int64
    /// The size of size, type, 64-bit size and extended type together: 8, 16, 24 or 32 bytes.
    public var headerSize: Int
    /// The size of the whole box in bytes, header included; for an open-ended one, up to the end of its parent.
    public var size: Int64
    /// Whether the box has no size of its own (a size field of 0) and reaches to the end of the file.
    public var isOpenEnded: Bool

    /// Creates a header.
    public init(
        type: FourCC, userType: UserType? = nil, offset: Int64, headerSize: Int = 8, size: Int64,
        isOpenEnded: Bool = false
    ) {
        self.type = type
        self.userType = userType
        self.offset = offset
        self.headerSize = headerSize
        self.size = size
        self.isOpenEnded = isOpenEnded
    }

    /// The first byte after the box.
    public var end: Int64 { offset + size }

    /// The bytes of the box after its header.
    public var payload: Range<Int64> { offset + Int64(headerSize)..<end }

    /// The largest header: 8 bytes, a 64-bit size and an extended type.
    static let largestHeader = 32

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - reader: At the box's first byte; moves past the header.
    ///   - limit: The first byte after the parent or file. A box may claim to end after it: the caller judges that.
    init(_ reader: inout ByteReader, limit: Int64) throws(ContainerError) {
        offset = reader.offset
        let shortSize = try reader.uint32()
        type = try reader.fourCC()
        headerSize = 8
        isOpenEnded = shortSize == 0
        switch shortSize {
        case 0:
            size = limit - offset
        case 1:
            let longSize = try reader.uint64()
            headerSize += 8
            guard let known = Int64(exactly: longSize) else {
                throw ContainerError(.malformed, "\(type): a size of \(longSize) bytes", at: offset)
            }
            size = known
        default:
            size = Int64(shortSize)
        }
        if type == "uuid" {
            userType = UserType(high: try reader.uint64(), low: try reader.uint64())
            headerSize += 16
        }
        guard !offset.addingReportingOverflow(size).overflow else {
            throw ContainerError(.malformed, "\(type): a size of \(size) bytes", at: offset)
        }
        guard size >= Int64(headerSize) else {
            throw ContainerError(.malformed, "\(type): a size of \(size) bytes, less than its header", at: offset)
        }
    }
}

/// The extended type of a `uuid` box: 16 bytes (ISO/IEC 14496-12, 4.2).
public struct UserType: Sendable, Hashable, CustomStringConvertible {
    /// The first eight bytes.
    public var high: UInt64
    /// The last eight bytes.
    public var low: UInt64

    /// Creates a type from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Hexadecimal in the usual groups (8-4-4-4-12).
    public var description: String {
        func hex(_ value: UInt64) -> String {
            let digits = String(value, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        let all = hex(high) + hex(low)
        var text = ""
        for (index, digit) in all.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(digit)
        }
        return text
    }

    /// PIFF's sample encryption box, which `senc` replaced.
    static let piffSampleEncryption = UserType(high: 0xA239_4F52_5A9B_4F14, low: 0xA244_6C42_7C64_8DF4)
    /// PIFF's track encryption box, which `tenc` replaced.
    static let piffTrackEncryption = UserType(high: 0x8974_DBCE_7BE7_4C51, low: 0x84F9_7148_F988_2554)
    /// PIFF's protection system header, which `pssh` replaced.
    static let piffProtectionHeader = UserType(high: 0xD08A_4F18_10F3_4A82, low: 0xB6C8_32D8_ABA1_83D3)
}

/// The version and flags that begin a full box (ISO/IEC 14496-12, 4.2).
struct FullBox {
    /// The version of the box's syntax.
    let version: UInt8
    /// 24 flags.
    let flags: UInt32

    /// Reads version and flags.
    init(_ reader: inout ByteReader) throws(ContainerError) {
        let word = try reader.uint32()
        version = UInt8(word >> 24)
        flags = word & 0xFF_FFFF
    }
}
