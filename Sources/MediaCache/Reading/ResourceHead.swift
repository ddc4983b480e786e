public import Foundation

/// The head of one version of a resource: length, media type and validators.
public struct ResourceHead: Sendable, Hashable {
    /// The complete length in bytes; nil while unknown. It's known at the end of the response at the latest.
    public var length: Int64?
    /// The media type for players. It's determined from the first bytes if they are conclusive, otherwise from
    /// `Content-Type` unless that is generic, otherwise from the URL's extension.
    public var contentType: String
    /// The validators sent by the origin; both nil if it sent none.
    public var validator: Validator
    /// The time when the origin last confirmed this version.
    public var validatedAt: Date
    /// Whether a due revalidation failed, so that the version may be outdated.
    public var isStale: Bool

    /// The entity tag sent to clients: the origin's, or a generated one.
    public var entityTag: String
    /// The URL after redirects if it differs from the requested one. Relative references in the content resolve against
    /// it.
    public var location: ResourceURL?
    /// The kind of address from which this version was received. If it's global, references in the content can't lead
    /// to local addresses, except those that the user allows.
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

    /// Returns whether bytes read with this head may be combined with bytes read with `other`. Equal entity tags alone
    /// don't prove the same version, because an origin may send any tag.
    package func joins(_ other: ResourceHead) -> Bool {
        entityTag == other.entityTag && length == other.length && contentType == other.contentType
    }
}

/// The validators of a representation (RFC 9110 §8.8).
public struct Validator: Sendable, Hashable, Codable {
    /// The `ETag` as received, including `W/` and quotes.
    public var entityTag: String?
    /// The `Last-Modified` date as received.
    public var lastModified: String?

    /// Creates a validator; a representation may have neither field.
    public init(entityTag: String? = nil, lastModified: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    /// The entity tag, if it's a strong one (RFC 9110 §8.8.1): equal tags mean equal bytes.
    public var strongEntityTag: String? {
        entityTag.flatMap { $0.hasPrefix("W/") ? nil : $0 }
    }

    /// Whether it has a strong entity tag or a date.
    package var isPresent: Bool { strongEntityTag != nil || lastModified != nil }

    /// Returns whether `other` certainly belongs to the same version, by a strong tag or by the date (RFC 9110 §8.8.2).
    package func proves(_ other: Validator) -> Bool {
        if let mine = strongEntityTag, let theirs = other.strongEntityTag { return mine == theirs }
        return lastModified != nil && lastModified == other.lastModified
    }

    /// Returns whether bytes of a response with `other` may be combined with bytes of this version. If this version has
    /// a strong tag, the response must prove that it has the same version (RFC 9111 §3.4).
    package func joins(_ other: Validator) -> Bool {
        agrees(with: other) && (strongEntityTag == nil || proves(other))
    }

    /// Returns whether a response with `other` may have the same version.
    ///
    /// If both have an entity tag, only the tags are compared; otherwise, the dates are. If neither can be compared,
    /// the result is true, and only the lengths or the bytes can show a difference.
    public func agrees(with other: Validator) -> Bool {
        if let mine = entityTag, let theirs = other.entityTag { return mine == theirs }
        if let mine = lastModified, let theirs = other.lastModified { return mine == theirs }
        return true
    }
}
