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
