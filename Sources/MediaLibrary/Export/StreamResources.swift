public import MediaContainers

/// A source of a stream's resources by absolute URL, such as a folder, a store or a server. Calls may block their
/// thread.
public protocol StreamResources {
    /// The source of a segment's bytes.
    associatedtype Bytes: ByteSource

    /// Returns the complete contents of a small resource, such as a playlist or key, of at most `limit` bytes.
    ///
    /// - Returns: The bytes, and the URL after redirects, against which references are resolved.
    /// - Throws: `ContainerError` with `inputOutput`.
    func contents(of url: String, limit: Int) throws(ContainerError) -> (bytes: [UInt8], location: String)

    /// Opens a media segment: a byte range of a resource; nil means the whole resource.
    ///
    /// - Throws: `ContainerError` with `inputOutput` if the segment isn't available.
    func bytes(of url: String, range: Range<Int64>?) throws(ContainerError) -> Bytes
}

/// The bytes of a part of a stream, decrypted and without wrapping.
enum PartBytes<Source: ByteSource>: ByteSource {
    case clear(UnwrappedSource<Source>)
    case decrypted(UnwrappedSource<DecryptedSource<UnwrappedSource<Source>>>)

    /// Creates the bytes of a part; `key` is nil if the part isn't encrypted.
    init(_ source: Source, key: (key: SegmentKey, bytes: [UInt8])?) throws(ContainerError) {
        guard let (key, bytes) = key else {
            self = .clear(try UnwrappedSource(source))
            return
        }
        let clear = try DecryptedSource(
            try UnwrappedSource(source, isEncrypted: true), cipher: key.cipher, key: bytes,
            initializationVector: key.initializationVector)
        self = .decrypted(try UnwrappedSource(clear))
    }

    var length: Int64 {
        switch self {
        case .clear(let source): source.length
        case .decrypted(let source): source.length
        }
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        switch self {
        case .clear(let source): try source.read(at: offset, into: buffer)
        case .decrypted(let source): try source.read(at: offset, into: buffer)
        }
    }
}
