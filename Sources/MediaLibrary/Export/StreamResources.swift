public import MediaContainers

/// Where the resources of a stream are read, for work on a thread that may wait: a folder, a store, a server.
public protocol StreamResources {
    /// What a resource's bytes are read from.
    associatedtype Bytes: MediaContainers.ByteSource

    /// The whole of a small resource: a playlist, a key.
    ///
    /// - Parameters:
    ///   - url: an absolute URL.
    ///   - limit: the most bytes that are taken.
    /// - Returns: the bytes, and the URL that they came from in the end: relative references resolve against it.
    /// - Throws: `ContainerError` with `inputOutput`.
    func contents(of url: String, limit: Int) throws(ContainerError) -> (bytes: [UInt8], location: String)

    /// The bytes of a media segment.
    ///
    /// - Parameters:
    ///   - url: an absolute URL.
    ///   - range: the segment's bytes, where it isn't the whole resource.
    /// - Throws: `ContainerError` with `inputOutput` where they can't be had.
    func bytes(of url: String, range: Range<Int64>?) throws(ContainerError) -> Bytes
}
