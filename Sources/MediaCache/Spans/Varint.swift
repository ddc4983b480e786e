/// An encoder of integers and strings. Integers without a fixed size are base-128 varints, seven bits per byte, least
/// significant first.
package struct VarintWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func write(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }

    package mutating func write(fixed value: UInt32) {
        for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(shift))) }
    }

    /// Writes a signed integer in zigzag encoding, so that values near zero need few bytes.
    package mutating func write(signed value: Int64) {
        write(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    /// Writes a string preceded by its length in bytes.
    package mutating func write(_ text: some StringProtocol) {
        write(UInt64(text.utf8.count))
        bytes += text.utf8
    }

    /// Writes a string as the length of its common prefix with the previous string, and the remainder.
    package mutating func write(_ text: String, after last: String) {
        // Counts whole scalars, because part of a UTF-8 sequence isn't a valid string.
        let same = zip(text.unicodeScalars, last.unicodeScalars).lazy.prefix { $0.0 == $0.1 }
        let shared = same.reduce(0) { $0 + UTF8.width($1.0) }
        write(UInt64(shared))
        write(String(decoding: text.utf8.dropFirst(shared), as: UTF8.self))
    }
}

/// A decoder of the output of ``VarintWriter``. Each method returns nil at the end of the data, or if it's damaged.
package struct VarintReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    package init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    package var isAtEnd: Bool { position >= bytes.endIndex }

    package mutating func read() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.endIndex, shift < 64 {
            let byte = bytes[position]
            position += 1
            let bits = UInt64(byte & 0x7F)
            guard shift < 63 || bits <= 1 else { return nil }
            value |= bits << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    package mutating func readSigned() -> Int64? {
        read().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
    }

    package mutating func readText() -> String? {
        guard let count = read(), count <= UInt64(bytes.endIndex - position) else { return nil }
        defer { position += Int(count) }
        return String(decoding: bytes[position..<(position + Int(count))], as: UTF8.self)
    }

    /// Reads a string written by ``VarintWriter/write(_:after:)`` with the same previous string.
    package mutating func readText(after last: String) -> String? {
        guard let shared = read(), let count = read(), shared <= UInt64(last.utf8.count),
            count <= UInt64(bytes.endIndex - position)
        else { return nil }
        let range = position..<(position + Int(count))
        position = range.upperBound
        // Uses one allocation and bulk copies, because a timeline contains tens of thousands of strings.
        return String(unsafeUninitializedCapacity: Int(shared) + range.count) { buffer in
            var last = last
            last.withUTF8 { _ = buffer.initialize(fromContentsOf: $0[..<Int(shared)]) }
            bytes[range].withUnsafeBufferPointer { _ = buffer[Int(shared)...].initialize(fromContentsOf: $0) }
            return Int(shared) + range.count
        }
    }

    package mutating func readFixed() -> UInt32? {
        guard position + 4 <= bytes.endIndex else { return nil }
        defer { position += 4 }
        return (0..<4).reduce(0) { $0 | UInt32(bytes[position + $1]) << UInt32($1 * 8) }
    }
}
