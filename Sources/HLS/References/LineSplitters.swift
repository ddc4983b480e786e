/// Characters besides LF, CRLF and CR at which players end a line.
///
/// RFC 8216bis, section 4.1, forbids the control characters among them. ffmpeg ends a line at NUL, Python's
/// `splitlines()` at VT, FF, FS, GS, RS, NEL, U+2028 and U+2029, and regular expressions of JavaScript at the last two.
enum LineSplitters {
    /// The bytes without them. Nearly all playlists have none, and aren't copied.
    static func removed(from bytes: [UInt8]) -> [UInt8] {
        let (hasControls, isASCII) = bytes.withUnsafeBytes { ($0.hasForbiddenControl, $0.isASCII) }
        guard hasControls || !isASCII && hasSeparator(bytes) else { return bytes }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        for byte in bytes where !byte.isForbiddenControl {
            output.append(byte)
            // Also one that comes about where a control character has gone.
            let length = separatorLength(output[...])
            if length > 0 { output.removeLast(length) }
        }
        return output
    }

    /// Whether a byte may be the first of NEL, U+2028 or U+2029 in UTF-8.
    static func mayBeginSeparator(_ byte: UInt8) -> Bool { byte == 0xC2 || byte == 0xE2 }

    /// Whether NEL, U+2028 or U+2029 stands anywhere.
    static func hasSeparator(_ bytes: [UInt8]) -> Bool {
        bytes.indices.contains { index in
            bytes[index] >= 0x80 && separatorLength(bytes[...index]) > 0
        }
    }

    /// How many bytes at the end are NEL, U+2028 or U+2029 in UTF-8.
    private static func separatorLength(_ bytes: ArraySlice<UInt8>) -> Int {
        switch bytes.last {
        case 0x85: bytes.suffix(2).first == 0xC2 ? 2 : 0
        case 0xA8, 0xA9: bytes.suffix(3).starts(with: [0xE2, 0x80]) ? 3 : 0
        default: 0
        }
    }
}
