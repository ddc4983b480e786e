public import MediaContainers

/// A media segment without what its origin has put around it (``SegmentWrapping``).
public struct UnwrappedSource<Source: MediaContainers.ByteSource>: MediaContainers.ByteSource {
    private enum Content {
        /// The source from a byte on.
        case rest(Source, from: Int64)
        case inflated(MemorySource)
    }

    /// What was around it.
    public let wrapping: SegmentWrapping
    private let content: Content

    /// Looks at a segment's first bytes, and inflates it where it's compressed.
    ///
    /// - Parameters:
    ///   - source: the segment as it came.
    ///   - isEncrypted: whether it's encrypted as a whole.
    /// - Throws: `ContainerError` with `malformed` for what is compressed and damaged, or too large; the source's errors.
    public init(_ source: Source, isEncrypted: Bool = false) throws(ContainerError) {
        let probe = min(source.length, Int64(SegmentWrapping.probeLength))
        var front = try source.bytes(0..<probe, limit: SegmentWrapping.probeLength)
        guard SegmentWrapping.mayBegin(front) else {
            wrapping = .none
            content = .rest(source, from: 0)
            return
        }
        let length = min(source.length, Int64(SegmentWrapping.frontLength))
        front = try source.bytes(0..<length, limit: SegmentWrapping.frontLength)
        let found = SegmentWrapping.find(front: front, length: source.length, isEncrypted: isEncrypted)
        switch found {
        case .none: content = .rest(source, from: 0)
        case .picture(let length): content = .rest(source, from: Int64(length))
        case .gzip:
            let bytes = try source.bytes(0..<source.length, limit: SegmentInflation.largest)
            guard let inflated = try SegmentInflation.inflated(bytes, isEncrypted: isEncrypted) else {
                wrapping = .none
                content = .rest(source, from: 0)
                return
            }
            content = .inflated(MemorySource(inflated))
        }
        wrapping = found
    }

    /// The length without the wrapping, in bytes.
    public var length: Int64 {
        switch content {
        case .rest(let source, let start): source.length - start
        case .inflated(let source): source.length
        }
    }

    /// Reads; see `ByteSource`.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        switch content {
        case .rest(let source, let start): try source.read(at: start + offset, into: buffer)
        case .inflated(let source): try source.read(at: offset, into: buffer)
        }
    }
}
