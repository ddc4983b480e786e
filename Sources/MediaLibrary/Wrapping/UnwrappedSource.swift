internal import MediaCache
public import MediaContainers

/// A media segment without its ``SegmentWrapping``.
public struct UnwrappedSource<Source: ByteSource>: ByteSource {
    private enum Content {
        /// The bytes of the source after an offset.
        case rest(Source, from: Int64)
        case inflated(MemorySource)
    }

    /// The removed wrapping.
    public let wrapping: SegmentWrapping
    private let content: Content

    /// Examines the first bytes of a segment, and decompresses it if necessary.
    ///
    /// - Throws: `ContainerError`: `malformed` if a compressed segment is damaged, or too large when decompressed;
    ///   `limitExceeded` if a compressed segment has more than 64 MiB; the errors of the source.
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
        case .image(let length): content = .rest(source, from: Int64(length))
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

    /// Reads bytes without the wrapping; see `ByteSource`.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        switch content {
        case .rest(let source, let start): try source.read(at: start + offset, into: buffer)
        case .inflated(let source): try source.read(at: offset, into: buffer)
        }
    }
}

/// Decompression of media segments in memory, with a size limit.
package enum SegmentInflation {
    /// The maximum size of a segment in bytes, compressed and decompressed.
    package static let largest = 64 << 20

    /// Returns the decompressed segment; nil if it's encrypted and only looks compressed. Throws `malformed` if a
    /// segment that isn't encrypted is damaged or too large.
    package static func inflated(_ bytes: [UInt8], isEncrypted: Bool) throws(ContainerError) -> [UInt8]? {
        do {
            return try Inflater.inflate(bytes, limit: largest)
        } catch {
            if isEncrypted { return nil }
            let reason = (error as? CacheError)?.message ?? "\(error)"
            throw ContainerError(.malformed, "the compressed segment can't be read: \(reason)", cause: error)
        }
    }
}
