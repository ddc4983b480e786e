/// The header of a box: its type, offset and size (ISO/IEC 14496-12, 4.2).
public struct BoxHeader: Sendable, Hashable {
    /// The type of the box; `uuid` for boxes identified by ``userType``.
    public var type: FourCC
    /// The 16-byte extended type of a `uuid` box, or nil.
    public var userType: UserType?
    /// The offset of the box in the file, in bytes.
    public var offset: Int64
    /// The size of the header in bytes: 8, 16, 24 or 32.
    public var headerSize: Int
    /// The size of the whole box in bytes, including the header. An open-ended box extends to the end of its parent.
    public var size: Int64
    /// Whether the box has a size field of 0 and therefore extends to the end of its parent or of the file.
    public var isOpenEnded: Bool

    /// The offset after the last byte of the box.
    public var end: Int64 { offset + size }

    /// The range of the box's bytes after its header.
    public var payload: Range<Int64> { offset + Int64(headerSize)..<end }

    /// The maximum size of a header: 8 bytes, a 64-bit size and an extended type.
    static let maximumHeaderLength = 32

    /// Reads a header. `limit` is the end of the parent or file. The box may exceed it; the caller checks that.
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
                throw ContainerError(.malformed, "\(type): invalid size of \(longSize) bytes", at: offset)
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
            throw ContainerError(.malformed, "\(type): invalid size of \(size) bytes", at: offset)
        }
        guard size >= Int64(headerSize) else {
            throw ContainerError(.malformed, "\(type): size of \(size) bytes is less than its header", at: offset)
        }
    }
}

/// The 16-byte extended type of a `uuid` box (ISO/IEC 14496-12, 4.2).
public struct UserType: Sendable, Hashable, CustomStringConvertible {
    /// The first eight bytes, big-endian.
    public var high: UInt64
    /// The last eight bytes, big-endian.
    public var low: UInt64

    /// The hexadecimal digits in groups of 8-4-4-4-12.
    public var description: String {
        func hex(_ value: UInt64) -> String { String(value, radix: 16).zeroPadded(to: 16) }
        let all = hex(high) + hex(low)
        var text = ""
        for (index, digit) in all.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(digit)
        }
        return text
    }

    /// The sample encryption box of PIFF, superseded by `senc`.
    static let piffSampleEncryption = UserType(high: 0xA239_4F52_5A9B_4F14, low: 0xA244_6C42_7C64_8DF4)
    /// The track encryption box of PIFF, superseded by `tenc`.
    static let piffTrackEncryption = UserType(high: 0x8974_DBCE_7BE7_4C51, low: 0x84F9_7148_F988_2554)
}

/// The version and flags at the start of a full box (ISO/IEC 14496-12, 4.2).
struct FullBox {
    let version: UInt8
    let flags: UInt32

    init(_ reader: inout ByteReader) throws(ContainerError) {
        let word = try reader.uint32()
        version = UInt8(word >> 24)
        flags = word & 0xFF_FFFF
    }
}
