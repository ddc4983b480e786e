/// An ES_Descriptor, the content of `esds` (ISO/IEC 14496-1, 7.2.6.5; 14496-14, 5.6).
struct ElementaryStreamDescriptor {
    /// The object type indication, such as 0x40 (MPEG-4 audio), 0x20 (MPEG-4 Visual) or 0x6B (MP3); 0 if there is none.
    var objectType: UInt8 = 0
    /// The decoder-specific information; for AAC an AudioSpecificConfig.
    var decoderSpecific: [UInt8] = []

    /// Reads the payload of `esds` after version and flags.
    init(_ reader: inout ByteReader) throws(ContainerError) {
        while reader.remaining >= 2 {
            let tag = try reader.uint8()
            let size = try Self.size(&reader)
            switch tag {
            case 0x03:
                try reader.skip(2)
                let flags = try reader.uint8()
                if flags & 0x80 != 0 { try reader.skip(2) }
                if flags & 0x40 != 0 { try reader.skip(Int(try reader.uint8())) }
                if flags & 0x20 != 0 { try reader.skip(2) }
            case 0x04:
                objectType = try reader.uint8()
                try reader.skip(12)
            case 0x05:
                // Some writers overstate this size by one byte, so the end of the box limits it.
                decoderSpecific = [UInt8](copying: try reader.take(min(size, reader.remaining)))
                return
            default:
                try reader.skip(min(size, reader.remaining))
            }
        }
    }

    private static func size(_ reader: inout ByteReader) throws(ContainerError) -> Int {
        var size = 0
        for _ in 0..<4 {
            let byte = try reader.uint8()
            size = size << 7 | Int(byte & 0x7F)
            if byte & 0x80 == 0 { break }
        }
        return size
    }
}
