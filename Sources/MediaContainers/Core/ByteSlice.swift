/// A range of another source, as a source of its own: a media segment that is a byte range of a file.
public struct ByteSlice<Source: ByteSource>: ByteSource {
    private let source: Source
    private let range: Range<Int64>

    /// Creates a slice.
    ///
    /// - Parameters:
    ///   - source: What it is a range of.
    ///   - range: The bytes, from the start of the source.
    /// - Throws: ``ContainerError/Code-swift.enum/truncated`` when the source ends before the range does.
    public init(_ source: Source, _ range: Range<Int64>) throws(ContainerError) {
        guard range.lowerBound >= 0, range.upperBound <= source.length else {
            throw ContainerError(
                .truncated, "bytes to \(range.upperBound) wanted, the source has \(source.length)",
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
