internal import MediaContainers

/// The bytes of a part of a stream as it's read: in the clear, without what its origin has put around it.
enum PartBytes<Source: MediaContainers.ByteSource>: MediaContainers.ByteSource {
    case clear(UnwrappedSource<Source>)
    case decrypted(UnwrappedSource<DecryptedSource<UnwrappedSource<Source>>>)

    /// - Parameter key: what decrypts it, and the key's bytes; nil where it's in the clear.
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
