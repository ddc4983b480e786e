extension UnsafeRawBufferPointer {
    /// Returns the bytes of a range as a buffer with indices from 0.
    @inline(__always)
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }

    /// Returns the range without leading and trailing blanks.
    @inline(__always)
    func trimmed(_ start: Int, _ end: Int) -> Range<Int> {
        var start = start
        var end = end
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }

    /// The code, in UTF-8 the second byte, of the first control character from U+0080 to U+009F; nil if there is none.
    var encodedControl: UInt8? { zip(self, dropFirst()).first { $0 == 0xC2 && (0x80...0x9F).contains($1) }?.1 }

    @inline(__always)
    func has(_ text: StaticString, at offset: Int) -> Bool {
        guard offset + text.utf8CodeUnitCount <= count else { return false }
        for index in 0..<text.utf8CodeUnitCount where self[offset + index] != text.utf8Start[index] { return false }
        return true
    }

    func first(_ byte: UInt8, from start: Int, to end: Int) -> Int? {
        var index = start
        while index < end {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }
}

extension String {
    /// Creates a string from a playlist's bytes. Invalid UTF-8 is percent-encoded, which preserves the bytes of URIs.
    @inline(__always)
    init(playlistBytes bytes: UnsafeRawBufferPointer) {
        // Nearly all URIs are ASCII. `String(validating:as:)` looks up generic metadata on each call.
        if bytes.isASCII {
            self = String(decoding: bytes, as: UTF8.self)
        } else if let valid = String(validating: bytes, as: UTF8.self) {
            self = valid
        } else {
            self = String(percentEncodingInvalid: bytes)
        }
    }

    private init(percentEncodingInvalid bytes: UnsafeRawBufferPointer) {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + 16)
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        parsing: while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar):
                text.append(contentsOf: scalar)
                offset += scalar.count
            case .error(let length):
                for byte in bytes[offset..<Swift.min(offset + length, bytes.count)] { text.appendPercentEncoded(byte) }
                offset += length
            case .emptyInput:
                break parsing
            }
        }
        self.init(decoding: text, as: UTF8.self)
    }

    var trimmedBlanks: String {
        withBytes { bytes in
            let range = bytes.trimmed(0, bytes.count)
            return range.count == bytes.count ? self : String(playlistBytes: bytes.part(range))
        }
    }

    /// Calls `body` with the text in UTF-8.
    @inline(__always)
    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

extension [UInt8] {
    mutating func appendPercentEncoded(_ byte: UInt8) {
        append(.percent)
        append(.hexDigit(byte >> 4))
        append(.hexDigit(byte & 15))
    }
}

// MARK: - Eight-byte scans

extension UnsafeRawBufferPointer {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    var isASCII: Bool {
        var index = 0
        while index &+ 8 <= count {
            if loadUnaligned(fromByteOffset: index, as: UInt64.self) & Self.highs != 0 { return false }
            index &+= 8
        }
        return self[index...].allSatisfy { $0 & 0x80 == 0 }
    }

    /// Whether any byte is a control character other than LF, CR and tab (RFC 8216bis §4.1).
    var hasForbiddenControl: Bool {
        // Branch-free, so that the compiler can vectorize the loop.
        var found: UInt8 = 0
        for byte in self {
            let isAllowed: UInt8 = byte == .lineFeed ? 1 : byte == .carriageReturn ? 1 : byte == .tab ? 1 : 0
            found |= (byte < 0x20 ? 1 : 0) & ~isAllowed | (byte == 0x7F ? 1 : 0)
        }
        return found != 0
    }

    func contains(_ byte: UInt8) -> Bool {
        let pattern = Self.ones &* UInt64(byte)
        var index = 0
        while index &+ 8 <= count {
            let word = loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ pattern
            if (word &- Self.ones) & ~word & Self.highs != 0 { return true }
            index &+= 8
        }
        return self[index...].contains { $0 == byte }
    }
}
