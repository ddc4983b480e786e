extension [UInt8] {
    /// Appends a box; its size is filled in after its content was appended.
    mutating func appendBox<Failure: Error>(
        _ type: FourCC, _ content: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        let start = count
        appendBigEndian(UInt32(0))
        append(type)
        try content(&self)
        setBigEndian(UInt32(truncatingIfNeeded: count - start), at: start)
    }

    /// Appends a full box with its version and flags.
    mutating func appendFullBox<Failure: Error>(
        _ type: FourCC, version: UInt8 = 0, flags: UInt32 = 0, _ content: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        try appendBox(type) { (bytes) throws(Failure) in
            bytes.appendBigEndian(UInt32(version) << 24 | flags)
            try content(&bytes)
        }
    }

    /// Appends zeros.
    mutating func appendZeros(_ count: Int) { append(contentsOf: repeatElement(0, count: count)) }
}
