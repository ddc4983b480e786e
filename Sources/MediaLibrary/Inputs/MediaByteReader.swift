package import MediaContainers

/// The bytes of a file or another source, for callers that don't import `MediaContainers`.
package struct MediaByteReader {
    private let source: any ByteSource

    /// Creates a reader of a source.
    package init(_ source: any ByteSource) {
        self.source = source
    }

    /// Opens a file.
    ///
    /// - Throws: ``MediaJobError``.
    package init(path: String) throws {
        do {
            source = try FileSource(path: path)
        } catch {
            throw MediaJobError(error, of: path)
        }
    }

    /// The length in bytes.
    package var length: Int64 { source.length }

    /// Reads bytes into a buffer.
    ///
    /// - Returns: The number of bytes; 0 at the end.
    /// - Throws: `ContainerError`.
    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try source.read(at: offset, into: buffer)
    }

    /// Returns the bytes of a range.
    ///
    /// - Throws: `ContainerError`.
    package func bytes(_ range: Range<Int64>) throws -> [UInt8] {
        try source.bytes(range, limit: Int(range.upperBound - range.lowerBound))
    }
}
