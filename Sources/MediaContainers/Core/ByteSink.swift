/// A destination that receives the bytes of a file in order, such as a file, memory or a response body.
public protocol ByteSink {
    /// Appends bytes, which are borrowed for the duration of the call. Throws `inputOutput`, with the sink's own error,
    /// if any, as its cause.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ContainerError)
}

/// A sink in memory.
public struct MemorySink: ByteSink, Sendable {
    /// The bytes written so far.
    public private(set) var contents: [UInt8] = []

    /// Creates an empty sink.
    public init() {}

    /// Appends the bytes.
    public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        bytes.withMemoryRebound(to: UInt8.self) { contents.append(contentsOf: $0) }
    }
}

/// A file that can be written and read at any offset.
public protocol RandomAccessSink {
    /// Writes bytes at an offset. A gap between the end of the file and the offset reads as zeros. Throws
    /// `inputOutput`, with the file's own error, if any, as its cause.
    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ContainerError)

    /// Reads back written bytes. Returns their number: the size of the buffer, or less at the end of the file. Throws
    /// `inputOutput`, with the file's own error, if any, as its cause.
    mutating func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int
}

extension RandomAccessSink {
    mutating func write(_ bytes: [UInt8], at offset: Int64) throws(ContainerError) {
        try bytes.withBorrowedBytes { (buffer) throws(ContainerError) in try self.write(buffer, at: offset) }
    }
}
