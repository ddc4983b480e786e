package import MediaContainers

/// The bytes of a file or another source, for callers that don't import `MediaContainers`.
package struct MediaByteReader {
    private let source: any ByteSource

    package init(_ source: any ByteSource) { self.source = source }

    /// Opens a file. Throws ``MediaJobError`` if that fails.
    package init(path: String) throws {
        do {
            source = try FileSource(path: path)
        } catch {
            throw MediaJobError(error, of: path)
        }
    }

    package var length: Int64 { source.length }

    /// Reads bytes into a buffer, and returns their number; 0 at the end.
    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try source.read(at: offset, into: buffer)
    }

    package func bytes(_ range: Range<Int64>) throws -> [UInt8] {
        try source.bytes(range, limit: Int(range.upperBound - range.lowerBound))
    }
}
