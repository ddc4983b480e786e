public import HTTPTypes
public import MediaCache

/// A resource of a scripted origin: a body and its header fields.
public struct ScriptedResource: Sendable {
    /// The content.
    public var body: ScriptedBody
    /// The `ETag` fields with quotes (RFC 9110 §8.8.3), which alternate from request to request; empty for none.
    public var entityTags: [String]
    /// The `Last-Modified` field, an HTTP date.
    public var lastModified: String?
    /// The `Content-Type` field.
    public var contentType: String?
    /// The `Cache-Control` field.
    public var cacheControl: String?
    /// Whether `Range` is supported and `Accept-Ranges` is sent.
    public var acceptsRanges: Bool
    /// Additional fields, which replace others with the same names.
    public var headerFields: HTTPFields
    /// The kind of address that the in-process origin reports.
    public var peer: AddressKind
    /// The maximum size of a buffer in bytes, and of a write to a socket.
    public var bufferSize: Int

    /// Creates a resource.
    public init(
        _ body: ScriptedBody, entityTag: String? = "\"1\"", lastModified: String? = nil,
        contentType: String? = "video/mp4", cacheControl: String? = nil, acceptsRanges: Bool = true,
        headerFields: HTTPFields = [:], peer: AddressKind = .global, bufferSize: Int = 64 << 10
    ) {
        self.body = body
        self.entityTags = entityTag.map { [$0] } ?? []
        self.lastModified = lastModified
        self.contentType = contentType
        self.cacheControl = cacheControl
        self.acceptsRanges = acceptsRanges
        self.headerFields = headerFields
        self.peer = peer
        self.bufferSize = bufferSize
    }

    func entityTag(forRequest number: Int) -> String? {
        entityTags.isEmpty ? nil : entityTags[number % entityTags.count]
    }
}
