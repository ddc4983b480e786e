public import Foundation

/// What is known of one version of a resource: how long it is, of what type, and by what it's told from others.
public struct ResourceHead: Sendable, Hashable {
    /// The complete length in bytes, or nil until the origin's answer ends.
    public var length: Int64?
    /// The media type that players are given: from the first bytes where they are sure, else the origin's
    /// `Content-Type`, else from the URL's extension.
    public var contentType: String
    /// By what this version is told from others.
    public var validator: Validator
    /// When the origin last confirmed this version.
    public var validatedAt: Date
    /// Whether the origin couldn't be asked when this was last due, so that it may be out of date.
    public var isStale: Bool

    /// The entity tag that the server sends: the origin's, or one of our own where it has none.
    public var entityTag: String
    /// Where redirects led to when this version was found, if it's another place than the one asked for. Relative
    /// references in the content resolve against it.
    public var location: ResourceURL?
    /// What kind of address this version came from. What one from outside names may not lead behind the firewall.
    public var peer: AddressKind

    /// Creates a head.
    public init(
        length: Int64?,
        contentType: String,
        validator: Validator,
        validatedAt: Date,
        isStale: Bool = false,
        entityTag: String,
        location: ResourceURL? = nil,
        peer: AddressKind = .unknown
    ) {
        self.length = length
        self.contentType = contentType
        self.validator = validator
        self.validatedAt = validatedAt
        self.isStale = isStale
        self.entityTag = entityTag
        self.location = location
        self.peer = peer
    }
}

/// What tells one representation of a resource from another (RFC 9110 §8.8).
public struct Validator: Sendable, Hashable, Codable {
    /// The `ETag` as it came, `W/` and quotes included.
    public var entityTag: String?
    /// The `Last-Modified` date as it came.
    public var lastModified: String?

    /// Creates a validator; a resource may have neither.
    public init(entityTag: String? = nil, lastModified: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    /// The entity tag, if it's a strong one (RFC 9110 §8.8.1): equal tags mean equal bytes.
    public var strongEntityTag: String? {
        entityTag.flatMap { $0.hasPrefix("W/") ? nil : $0 }
    }

    /// Whether it can prove anything.
    package var isTold: Bool { strongEntityTag != nil || lastModified != nil }

    /// Whether what carries `other` is of the same version for sure: by a strong tag, or by the date (RFC 9110 §8.8.2).
    package func proves(_ other: Validator) -> Bool {
        if let mine = strongEntityTag, let theirs = other.strongEntityTag { return mine == theirs }
        return lastModified != nil && lastModified == other.lastModified
    }

    /// Whether bytes of a response that carries `other` may be put together with bytes of this version: under a strong
    /// tag only where the response proves to be of the same version (RFC 9111 §3.4).
    package func joins(_ other: Validator) -> Bool {
        agrees(with: other) && (strongEntityTag == nil || proves(other))
    }

    /// Whether a response that carries `other` can be of the same version.
    ///
    /// Strong tags decide alone. Without them the dates do, and a date that is missing on one side decides nothing;
    /// then the length and the overlap of a resumed fill have to.
    public func agrees(with other: Validator) -> Bool {
        if let mine = entityTag, let theirs = other.entityTag { return mine == theirs }
        if let mine = lastModified, let theirs = other.lastModified { return mine == theirs }
        return true
    }
}
