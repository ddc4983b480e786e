public import HTTPTypes
public import MediaCache

/// What a scripted origin has under one URL: a body, and the header fields that go with it.
public struct ScriptedResource: Sendable {
    /// The content.
    public var body: ScriptedBody
    /// The `ETag` fields, quotes included (RFC 9110 §8.8.3). With more than one they alternate from request to
    /// request, as behind a balancer whose servers tag differently. Empty: none is sent.
    public var entityTags: [String]
    /// The `Last-Modified` field, an HTTP date.
    public var lastModified: String?
    /// The `Content-Type` field.
    public var contentType: String?
    /// The `Cache-Control` field.
    public var cacheControl: String?
    /// Whether `Range` is honoured, and `Accept-Ranges` says so.
    public var acceptsRanges: Bool
    /// Fields that are sent too; they replace the others of the same name.
    public var headerFields: HTTPFields
    /// The kind of address the in-process origin claims to have answered from.
    public var peer: AddressKind
    /// The largest buffer handed over at once, in bytes. A server on a socket writes as much at a time.
    public var bufferSize: Int

    /// Creates a resource.
    public init(
        _ body: ScriptedBody,
        entityTag: String? = "\"1\"",
        lastModified: String? = nil,
        contentType: String? = "video/mp4",
        cacheControl: String? = nil,
        acceptsRanges: Bool = true,
        headerFields: HTTPFields = [:],
        peer: AddressKind = .global,
        bufferSize: Int = 64 << 10
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

    /// The tag that the request of this number (0 is the first) is answered with.
    func entityTag(forRequest number: Int) -> String? {
        entityTags.isEmpty ? nil : entityTags[number % entityTags.count]
    }
}
