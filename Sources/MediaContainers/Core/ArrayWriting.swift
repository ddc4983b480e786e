extension [UInt8] {
    /// Appends an integer, most significant byte first.
    mutating func appendBigEndian<Value: FixedWidthInteger>(_ value: Value) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends the low 24 bits, most significant byte first.
    mutating func appendBigEndian24(_ value: UInt32) {
        append(UInt8(truncatingIfNeeded: value >> 16))
        appendBigEndian(UInt16(truncatingIfNeeded: value))
    }

    /// Appends a four-character code.
    mutating func append(_ code: FourCC) { appendBigEndian(code.rawValue) }

    /// Writes 32 bits over four bytes that are there.
    mutating func setBigEndian(_ value: UInt32, at index: Int) {
        guard index >= 0, index + 4 <= count else { return }
        for place in 0..<4 { self[index + place] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * place)) }
    }
}
