/// A sequence of bytes that can be read at any offset, such as a file, memory or a cache's read session.
public protocol ByteSource {
    /// The length in bytes.
    var length: Int64 { get }

    /// Reads bytes at an offset into a buffer. Returns their number: the size of the buffer, or less at the end. Throws
    /// `inputOutput`, with the source's own error, if any, as its cause.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int
}

extension ByteSource {
    /// Reads exactly the bytes of a range. Throws `truncated` when the source ends before the range does,
    /// `limitExceeded` for more than `limit` bytes, and the errors of the source.
    public func bytes(_ range: Range<Int64>, limit: Int) throws(ContainerError) -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= length else {
            throw ContainerError(
                .truncated, "bytes up to \(range.upperBound) requested, but the source has \(length)",
                at: range.lowerBound)
        }
        let count = range.upperBound - range.lowerBound
        guard count <= Int64(limit) else {
            throw ContainerError(
                .limitExceeded, "\(count) bytes requested, but the limit is \(limit)", at: range.lowerBound)
        }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        let read = try readFully(at: range.lowerBound, into: &bytes)
        guard read == bytes.count else {
            throw ContainerError(.truncated, "source ends \(bytes.count - read) bytes early", at: range.upperBound)
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

/// A source of bytes in memory.
public struct MemorySource: ByteSource, Sendable {
    /// The bytes.
    public let contents: [UInt8]

    /// Creates a source over bytes.
    public init(_ contents: [UInt8]) { self.contents = contents }

    /// The number of bytes.
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

/// A range of another source, such as a media segment that is a byte range of a file.
public struct ByteSlice<Source: ByteSource>: ByteSource {
    private let source: Source
    private let range: Range<Int64>

    /// Creates a slice of a source. Throws `truncated` when the source ends before the range does.
    public init(_ source: Source, _ range: Range<Int64>) throws(ContainerError) {
        guard range.lowerBound >= 0, range.upperBound <= source.length else {
            throw ContainerError(
                .truncated, "bytes up to \(range.upperBound) requested, but the source has \(source.length)",
                at: range.lowerBound)
        }
        self.source = source
        self.range = range
    }

    /// The length of the range in bytes.
    public var length: Int64 { range.upperBound - range.lowerBound }

    /// Reads bytes of the range; see ``ByteSource/read(at:into:)``.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        guard offset >= 0, offset < length else { return 0 }
        let count = Int(min(Int64(buffer.count), length - offset))
        return try source.read(
            at: range.lowerBound + offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    }
}
