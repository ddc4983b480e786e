/// Bytes that can be read at any offset: a file, memory, or a cache's read session.
public protocol ByteSource {
    /// How many bytes there are.
    var length: Int64 { get }

    /// Reads bytes into a buffer.
    ///
    /// - Parameters:
    ///   - offset: The first byte wanted, from the start of the source.
    ///   - buffer: Where the bytes go.
    /// - Returns: How many bytes were read: less than the buffer's count only at the end of the source.
    /// - Throws: ``ContainerError/Code-swift.enum/inputOutput`` with the source's own error as its cause.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int
}

extension ByteSource {
    /// Reads exactly the bytes of a range into an array.
    ///
    /// - Parameters:
    ///   - range: The bytes wanted; a range that ends past the source is an error before anything is allocated.
    ///   - limit: The largest count that is allocated.
    public func bytes(_ range: Range<Int64>, limit: Int) throws(ContainerError) -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= length else {
            throw ContainerError(
                .truncated, "bytes to \(range.upperBound) wanted, the source has \(length)", at: range.lowerBound)
        }
        let count = range.upperBound - range.lowerBound
        guard count <= Int64(limit) else {
            throw ContainerError(.limitExceeded, "\(count) bytes at once, over \(limit)", at: range.lowerBound)
        }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        let read = try readFully(at: range.lowerBound, into: &bytes)
        guard read == bytes.count else {
            throw ContainerError(.truncated, "the source ended \(bytes.count - read) bytes early", at: range.upperBound)
        }
        return bytes
    }

    private func readFully(at offset: Int64, into bytes: inout [UInt8]) throws(ContainerError) -> Int {
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(ContainerError) in try read(at: offset, into: buffer) }
        }
        return try result.get()
    }
}
