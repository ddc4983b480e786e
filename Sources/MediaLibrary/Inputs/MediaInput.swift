public import MediaCache

/// An input of a job: a URL that is read through a cache, or a local file.
public enum MediaInput: Sendable, Hashable {
    /// A URL.
    case url(ResourceURL)
    /// The path of a file.
    case file(String)

    /// Whether the input is a URL.
    public var isURL: Bool { if case .url = self { true } else { false } }

    /// The URL or the path, for messages.
    public var name: String {
        switch self {
        case .url(let url): "\(url)"
        case .file(let path): path
        }
    }
}

/// A byte range of a resource that a ``MediaGateway`` returned.
public struct FetchedBytes: Sendable, Hashable {
    /// The offset of the first byte.
    public var offset: Int64
    /// The bytes.
    public var bytes: [UInt8]
    /// The length of the resource in bytes; nil if the origin doesn't declare it.
    public var completeLength: Int64?
    /// The entity tag of the representation; nil if it has none.
    public var entityTag: String?

    /// Creates a byte range.
    public init(offset: Int64, bytes: [UInt8], completeLength: Int64?, entityTag: String?) {
        self.offset = offset
        self.bytes = bytes
        self.completeLength = completeLength
        self.entityTag = entityTag
    }
}

/// A cache through which jobs read URLs, such as that of a running server.
public protocol MediaGateway: Sendable {
    /// Returns the URL at which the cache serves `url`.
    func servedURL(for url: ResourceURL) async throws -> String

    /// Returns the URL to read if the cache already serves `url`; otherwise nil.
    func servedURL(known url: String) -> String?

    /// Reads a range of a resource that the cache serves.
    ///
    /// - Parameters:
    ///   - url: A URL at which the cache serves the resource.
    ///   - range: The range; nil for the whole resource. The result may be shorter, or the whole resource if the range
    ///     can't be served.
    ///   - limit: The maximum number of bytes.
    func read(_ url: String, range: Range<Int64>?, limit: Int) async throws -> FetchedBytes
}
