/// Text in ID3 frames (ID3 2.4, 4: encodings 0 Latin-1, 1 UTF-16 with a mark, 2 UTF-16BE, 3 UTF-8).
enum ID3Text {
    /// The bytes up to the terminator of an encoding, and moves past it; all that is left where there is none.
    static func terminated(_ reader: inout ByteReader, encoding: UInt8) -> UnsafeRawBufferPointer {
        let rest = UnsafeRawBufferPointer(rebasing: reader.bytes[reader.position...])
        let width = encoding == 1 || encoding == 2 ? 2 : 1
        var place = 0
        while place + width <= rest.count {
            if rest[place] == 0, width == 1 || rest[place + 1] == 0 {
                let text = try? reader.take(place)
                try? reader.skip(width)
                return text ?? UnsafeRawBufferPointer(start: nil, count: 0)
            }
            place += width
        }
        return reader.takeRest()
    }

    static func decode(_ bytes: UnsafeRawBufferPointer, encoding: UInt8) -> String {
        switch encoding {
        case 1, 2: return utf16(bytes, hasMark: encoding == 1)
        case 3: return String(decoding: bytes, as: UTF8.self)
        default:
            var text = String.UnicodeScalarView()
            for byte in bytes { text.append(Unicode.Scalar(byte)) }
            return String(text)
        }
    }

    private static func utf16(_ bytes: UnsafeRawBufferPointer, hasMark: Bool) -> String {
        var isLittle = false
        var start = 0
        if hasMark, bytes.count >= 2 {
            isLittle = bytes[0] == 0xFF && bytes[1] == 0xFE
            if isLittle || (bytes[0] == 0xFE && bytes[1] == 0xFF) { start = 2 }
        }
        var units: [UInt16] = []
        var place = start
        while place + 1 < bytes.count {
            let first = UInt16(bytes[place])
            let second = UInt16(bytes[place + 1])
            units.append(isLittle ? second << 8 | first : first << 8 | second)
            place += 2
        }
        return String(decoding: units, as: UTF16.self)
    }
}
