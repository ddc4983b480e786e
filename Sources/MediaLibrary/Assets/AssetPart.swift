public import MediaCache

/// A resource of an asset, or a byte range of one: a file, media segment, key or media initialization section.
public struct AssetPart: Sendable, Hashable, Codable {
    /// The JSON keys. ``scope`` is omitted, because clients must not set it.
    private enum CodingKeys: String, CodingKey {
        case role, name, url, range, start, duration, isEncrypted, hasWholeBlocks, storedAs
    }

    /// The roles of parts.
    public enum Role: String, Sendable, Hashable, Codable, CaseIterable {
        /// The only part of an asset that isn't a stream.
        case file
        /// A key that decrypts media segments (RFC 8216bis §4.4.4.4).
        case key
        /// A media initialization section (§4.4.4.5).
        case initializationSection
        /// A media segment (§4.4.4.1).
        case mediaSegment
        /// Another resource referenced by a playlist, such as session data (§4.4.6.4).
        case other

        /// The resource kind reported to transforms and observers.
        public var kind: ResourceKind {
            switch self {
            case .key: .key
            case .mediaSegment, .initializationSection: .segment
            case .file, .other: .file
            }
        }
    }

    /// The role of the part.
    public var role: Role
    /// The path within the asset, such as `video-1/000012.ts`, which rewritten playlists use. Parts that are ranges of
    /// one resource share a name.
    public var name: String
    /// The URL of the resource, resolved against the origin's playlist.
    public var url: String
    /// The byte range of the resource; nil means the whole resource.
    public var range: Range<Int64>?
    /// The start in seconds from the beginning of the asset; 0 for a part without a start time.
    public var start: Double
    /// The duration in seconds; 0 for a part without a duration.
    public var duration: Double
    /// Whether the part is encrypted as a whole, so that its format can't be detected from its bytes.
    public var isEncrypted: Bool
    /// Whether the part is encrypted in whole blocks of 16 bytes (AES-CBC), so that its length is a multiple of 16.
    public var hasWholeBlocks: Bool
    /// The cache key of the part if it isn't derived from the URL. Recorded segments have one, because a restarted
    /// encoder may use the same URL for another segment.
    package var storedAs: String?
    /// The address scope of the document that contained the URL; nil in records of earlier versions.
    public internal(set) var scope: AddressScope?

    /// Creates a part.
    public init(
        role: Role, name: String, url: String, range: Range<Int64>? = nil, start: Double = 0, duration: Double = 0,
        isEncrypted: Bool = false, hasWholeBlocks: Bool = false
    ) {
        self.role = role
        self.name = name
        self.url = url
        self.range = range
        self.start = start
        self.duration = duration
        self.isEncrypted = isEncrypted
        self.hasWholeBlocks = hasWholeBlocks
    }

    /// The position of a part in its stream, independent of its URL. Positions don't match if another variant stream
    /// was selected or content was inserted, because times and ranges then differ.
    struct Identity: Hashable {
        var name: String
        var range: Range<Int64>?
        var start: Double
        var duration: Double
    }

    var identity: Identity { Identity(name: name, range: range, start: start, duration: duration) }

    /// Returns a request that reads the part from the cache or its origin, with settings narrowed to its address scope.
    ///
    /// - Parameter named: The URL of the asset, which the user specified. A part of unknown scope may only have a local
    ///   address if its host is that of `named`.
    package func request(settings: TransferSettings, named: String? = nil) throws -> ReadRequest {
        request(of: try ResourceURL(url), settings: settings, named: named)
    }

    func request(of url: ResourceURL, settings: TransferSettings, named: String? = nil) -> ReadRequest {
        let scope = scope ?? AddressScope(forStoredURL: url, userURL: named)
        var request = ReadRequest(
            url: url, range: range.map { .closed($0.lowerBound, through: $0.upperBound - 1) } ?? .all,
            settings: settings.narrowed(to: scope), revalidation: .never, kind: role.kind)
        request.name = storedAs
        return request
    }
}

extension AddressScope {
    /// Creates the scope for a URL that was stored without one: public addresses only, except on the host of the URL
    /// that the user specified.
    init(forStoredURL url: ResourceURL, userURL: String?) {
        self = userURL.flatMap { try? ResourceURL($0) }?.host == url.host ? .any : .publicOnly
    }
}
