/// A source of bytes in memory.
public struct MemorySource: ByteSource, Sendable {
    /// The bytes.
    public let contents: [UInt8]

    /// Creates a source over bytes.
    public init(_ contents: [UInt8]) { self.contents = contents }

    /// How many bytes there are.
    public var length: Int64 { Int64(contents.count) }

    /// Copies bytes into a buffer; see ``ByteSource/read(at:into:)``.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        guard offset >= 0, offset < length else { return 0 }
        let begin = Int(offset)
        let count = min(buffer.count, contents.count - begin)
        contents.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[begin..<begin + count]))
        }
        return count
    }
}
