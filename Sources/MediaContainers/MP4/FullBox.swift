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
