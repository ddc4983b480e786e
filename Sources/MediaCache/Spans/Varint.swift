/// Writes unsigned numbers, seven bits to a byte, the lowest first.
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

    /// A number with a sign: small ones of either take little.
    package mutating func write(signed value: Int64) {
        write(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    /// A text, its length first.
    package mutating func write(_ text: some StringProtocol) {
        write(UInt64(text.utf8.count))
        bytes += text.utf8
    }
}

/// Reads what ``VarintWriter`` wrote. Every read fails with nil at the end or on damage.
package struct VarintReader {
    private let bytes: [UInt8]
    private var position = 0

    package init(_ bytes: some Collection<UInt8>) {
        self.bytes = Array(bytes)
    }

    package var isAtEnd: Bool { position >= bytes.count }

    package mutating func read() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count, shift < 64 {
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
        guard let count = read(), count <= UInt64(bytes.count - position) else { return nil }
        defer { position += Int(count) }
        return String(decoding: bytes[position..<(position + Int(count))], as: UTF8.self)
    }

    package mutating func readFixed() -> UInt32? {
        guard position + 4 <= bytes.count else { return nil }
        defer { position += 4 }
        return (0..<4).reduce(0) { $0 | UInt32(bytes[position + $1]) << UInt32($1 * 8) }
    }
}
