public import MediaCache

/// One thing to fetch of an asset: a file, a media segment, a key, a media initialization section.
public struct AssetPart: Sendable, Hashable, Codable {
    /// Its JSON form has no ``scope``: the library's record of it can't be set from outside.
    private enum CodingKeys: String, CodingKey {
        case role, name, url, range, start, duration, isEncrypted, hasWholeBlocks, keptAs
    }

    /// What it is to the asset.
    public enum Role: String, Sendable, Hashable, Codable, CaseIterable {
        /// The whole of an asset that isn't a stream.
        case file
        /// A key that media segments are encrypted with (RFC 8216bis §4.4.4.4).
        case key
        /// A media initialization section (§4.4.4.5).
        case initializationSection
        /// A media segment (§4.4.4.1).
        case mediaSegment
        /// What playlists name besides: session data (§4.4.6.4).
        case other
    }

    /// What it is to the asset.
    public var role: Role
    /// Its path within the asset, as `video-1/000012.ts`: what local playlists call it. Parts that are ranges of one
    /// resource have one name.
    public var name: String
    /// The resource, as the origin's playlists name it.
    public var url: String
    /// The bytes of the resource that are needed; nil means all.
    public var range: Range<Int64>?
    /// When it begins, in seconds from the beginning of the asset; 0 for what has no time.
    public var start: Double
    /// How long it lasts in seconds; 0 for what has no time.
    public var duration: Double
    /// Whether it's encrypted as a whole, so that its bytes don't tell what it is.
    public var isEncrypted: Bool
    /// Whether it's encrypted by whole blocks of 16 bytes (AES in CBC mode), so that its length is a multiple of that.
    public var hasWholeBlocks: Bool
    /// What it's kept as, where that isn't under its URL: what was recorded, since an encoder that starts again gives its
    /// names to other segments.
    package var keptAs: String?
    /// The scope of what named the URL; nil where no document of this version has said it.
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
}

extension AssetPart {
    /// What a part is in its stream, whatever its URL. Where another variant stream was chosen, or something was put in
    /// between, times and lengths differ.
    struct Place: Hashable {
        var name: String
        var range: Range<Int64>?
        var start: Double
        var duration: Double
    }

    /// What tells it from the stream's other parts when its URL has changed.
    var place: Place { Place(name: name, range: range, start: start, duration: duration) }
}

extension AssetPart {
    /// A read of all of it, from what is kept or from its origin.
    ///
    /// - Parameters:
    ///   - settings: how its origin is asked. The part's scope narrows theirs; a part of unknown scope may lead to a
    ///     local address on the host of `named` alone.
    ///   - named: the URL of its asset, which the user named.
    /// - Throws: `CacheError` with `invalidURL`.
    package func request(settings: TransferSettings, named: String? = nil) throws -> ReadRequest {
        request(of: try ResourceURL(url), settings: settings, named: named)
    }

    /// The same where its URL has been read.
    func request(of url: ResourceURL, settings: TransferSettings, named: String? = nil) -> ReadRequest {
        let scope = scope ?? AddressScope(ofUnknownNamerOf: url, besides: named)
        var request = ReadRequest(
            url: url,
            range: range.map { .closed($0.lowerBound, through: $0.upperBound - 1) } ?? .all,
            settings: settings.narrowed(to: scope), revalidation: .never, kind: role.kind)
        request.name = keptAs
        return request
    }
}

extension AddressScope {
    /// The scope of a URL in a record that doesn't say what named it, as earlier versions wrote them: closed, except on
    /// the host that the user named.
    init(ofUnknownNamerOf url: ResourceURL, besides named: String?) {
        self = named.flatMap { try? ResourceURL($0) }?.host == url.host ? .any : .publicOnly
    }
}

extension AssetPart.Role {
    /// What transforms and observers are told that it is.
    public var kind: ResourceKind {
        switch self {
        case .key: .key
        case .mediaSegment, .initializationSection: .segment
        case .file, .other: .file
        }
    }
}
