/// What takes the bytes of a file in order: a file, memory, a response's body.
public protocol ByteSink {
    /// Takes bytes, borrowed for the length of the call.
    ///
    /// - Throws: ``ContainerError/Code-swift.enum/inputOutput`` with the sink's own error as its cause.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ContainerError)
}

/// A sink in memory.
public struct MemorySink: ByteSink, Sendable {
    /// What was written.
    public private(set) var contents: [UInt8] = []

    /// Creates an empty sink.
    public init() {}

    /// Appends the bytes.
    public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        bytes.withMemoryRebound(to: UInt8.self) { contents.append(contentsOf: $0) }
    }
}

/// A file that is written at any place, and read back to move what was written.
public protocol RandomAccessSink {
    /// Writes bytes at a place; what lies between the end of the file and there reads as zeros.
    ///
    /// - Throws: ``ContainerError/Code-swift.enum/inputOutput`` with the file's own error as its cause.
    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ContainerError)

    /// Reads bytes that were written: as many as the buffer holds, less only at the end of the file.
    ///
    /// - Throws: ``ContainerError/Code-swift.enum/inputOutput`` with the file's own error as its cause.
    mutating func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int
}

extension RandomAccessSink {
    /// Writes an array's bytes at a place.
    mutating func write(_ bytes: [UInt8], at offset: Int64) throws(ContainerError) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(ContainerError) in try self.write(buffer, at: offset) }
        }
        try result.get()
    }
}
