extension [UInt8] {
    mutating func appendBigEndian<Value: FixedWidthInteger>(_ value: Value) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    mutating func append(_ code: FourCC) { appendBigEndian(code.rawValue) }

    /// Appends the low 64 or 32 bits of an integer in big-endian order.
    mutating func appendBigEndian<Value: FixedWidthInteger>(_ value: Value, isLong: Bool) {
        if isLong {
            appendBigEndian(UInt64(truncatingIfNeeded: value))
        } else {
            appendBigEndian(UInt32(truncatingIfNeeded: value))
        }
    }

    /// Overwrites four bytes with an integer in big-endian order. Does nothing if they are out of bounds.
    mutating func setBigEndian(_ value: UInt32, at index: Int) {
        guard index >= 0, index + 4 <= count else { return }
        for place in 0..<4 { self[index + place] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * place)) }
    }

    /// Appends a box. Its size is filled in after `content` has appended the payload.
    mutating func appendBox<Failure: Error>(
        _ type: FourCC, _ content: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        let start = count
        appendBigEndian(UInt32(0))
        append(type)
        try content(&self)
        setBigEndian(UInt32(truncatingIfNeeded: count - start), at: start)
    }

    mutating func appendFullBox<Failure: Error>(
        _ type: FourCC, version: UInt8 = 0, flags: UInt32 = 0, _ content: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        try appendBox(type) { (bytes) throws(Failure) in
            bytes.appendBigEndian(UInt32(version) << 24 | flags)
            try content(&bytes)
        }
    }

    mutating func appendZeros(_ count: Int) { append(contentsOf: repeatElement(0, count: count)) }
}
