extension UnsafeRawBufferPointer {
    /// The bytes of a range, as a buffer of their own.
    @inline(__always)
    func part(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[start..<end])
    }

    /// The range less the blanks at both ends.
    @inline(__always)
    func trimmed(_ start: Int, _ end: Int) -> Range<Int> {
        var start = start
        var end = end
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }

    /// The first control character beyond ASCII, U+0080 to U+009F, as UTF-8 has it; nil if there is none.
    var encodedControl: UInt8? {
        zip(self, dropFirst()).first { $0 == 0xC2 && (0x80...0x9F).contains($1) }?.1
    }

    /// Whether `text` stands at `offset`.
    @inline(__always)
    func has(_ text: StaticString, at offset: Int) -> Bool {
        guard offset + text.utf8CodeUnitCount <= count else { return false }
        for index in 0..<text.utf8CodeUnitCount where self[offset + index] != text.utf8Start[index] { return false }
        return true
    }

    /// The first position of a byte within a range.
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
    /// Text from a playlist's bytes. What isn't UTF-8 becomes percent-encoded bytes, so that a URI among them still
    /// names the same resource.
    @inline(__always)
    init(playlistBytes bytes: UnsafeRawBufferPointer) {
        // Nearly every URI: `String(validating:as:)` looks up generic metadata on each call.
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

    /// The text less the blanks at both ends.
    var trimmedBlanks: String {
        var copy = self
        return copy.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            let range = bytes.trimmed(0, bytes.count)
            return range.count == bytes.count
                ? self : String(playlistBytes: bytes.part(range.lowerBound, range.upperBound))
        }
    }
}

extension [UInt8] {
    mutating func appendPercentEncoded(_ byte: UInt8) {
        append(.percent)
        append(.hexDigit(byte >> 4))
        append(.hexDigit(byte & 15))
    }
}
