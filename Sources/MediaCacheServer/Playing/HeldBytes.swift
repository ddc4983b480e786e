import MediaCache

/// Bytes in memory, as a read session gives bytes of a file.
struct HeldBytes: ByteSource {
    let bytes: [UInt8]

    func readWithoutBlocking(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Bool {
        try read(into: buffer, at: offset)
        return true
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
        bytes.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[Int(offset)..<Int(offset) + buffer.count])) }
    }
}
