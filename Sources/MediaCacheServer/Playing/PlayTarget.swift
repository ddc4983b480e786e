public import MediaCache
import MediaCacheAPI

/// The target of a play URL: `/play/<token>[;option=value…]/<scheme>/<authority>/<path>?<query>`.
///
/// The path mirrors the origin's, so that relative references resolve through the server. Path and query are unchanged,
/// but a final query item `faststart=1` sets ``PlayOptions/fastStart`` and isn't sent to the origin, unless the options
/// contain `query=whole`. In the authority, brackets are percent-encoded, since a path can't contain them (RFC 3986
/// §3.3).
public struct PlayTarget: Sendable, Hashable {
    /// The token as it was sent, unchecked.
    public var token: String
    /// The resource, without user information.
    public var url: ResourceURL
    /// The user information in the authority; nil if there is none. URLs created by the server contain
    /// ``PlayOptions/identity`` instead.
    package var credentials: Credentials?
    /// The options.
    public var options: PlayOptions

    init(_ url: ResourceURL, token: String, options: PlayOptions = PlayOptions()) {
        self.token = token
        self.url = url.withoutUserInfo
        self.options = options
    }

    /// Parses a request target.
    ///
    /// - Throws: `CacheError` with `invalidURL`; the message identifies the missing or malformed part.
    public init(_ requestTarget: String) throws {
        guard requestTarget.hasPrefix(PlayPath.prefix) else { throw Self.malformed("it doesn't begin with /play/") }
        var rest = requestTarget.utf8.dropFirst(PlayPath.prefix.utf8.count)
        func nextPart() -> Substring? {
            guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
            defer { rest = rest[rest.index(after: slash)...] }
            return Substring(rest[..<slash])
        }
        guard let tokenAndOptions = nextPart() else { throw Self.malformed("the token is missing") }
        guard let scheme = nextPart() else { throw Self.malformed("the scheme is missing") }

        // The path may be missing after the authority: `…/http/host` and `…/http/host?query`.
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        guard let authority = Self.decodeAuthority(Substring(rest[..<end])), !authority.isEmpty else {
            throw Self.malformed(
                "the host is missing or malformed, or a playlist references a URL that isn't http or https")
        }
        var target = Substring(rest[end...])

        var options = tokenAndOptions.split(separator: ";", omittingEmptySubsequences: false)
        token = String(options.removeFirst())
        self.options = PlayOptions(options)
        if !self.options.isQueryWhole, let stripped = Self.strippingFastStart(target) {
            target = stripped
            self.options.fastStart = true
        }
        let parsed = try ResourceURL(scheme: scheme.lowercased(), authority: authority, target: String(target))
        credentials = parsed.credentials
        url = parsed.withoutUserInfo
    }

    /// Returns the path and query of the play URL of `url`. User information is removed; the options identify the user
    /// instead.
    public static func path(for url: ResourceURL, token: String, options: PlayOptions = PlayOptions()) -> String {
        var options = options
        options.isQueryWhole = endsInOption(url.target)
        return "\(PlayPath.prefix)\(token)\(options)/\(url.scheme)/\(encodeAuthority(url.authority))\(url.target)"
    }

    /// Returns the target of another resource with the same token. If this target is limited to cached bytes, so is the
    /// new one. At the same origin, it has the same user unless the options have one.
    func target(for other: ResourceURL, options: PlayOptions) -> PlayTarget {
        var target = self
        (target.url, target.credentials, target.options) = (other.withoutUserInfo, nil, options)
        if options.identity == nil, other.hasSameOrigin(as: url) { target.options.identity = self.options.identity }
        if self.options.isCachedOnly { target.options.isCachedOnly = true }
        return target
    }

    var path: String { Self.path(for: url, token: token, options: options) }

    /// The text covered by a signature: the resource and the options, without the token, the signature and the file
    /// below a playlist. Such a file has the playlist's signature, because the playlist leads to everything in it.
    var signedText: String {
        var options = options
        options.signature = nil
        options.fragments = nil
        return Self.path(for: url, token: "", options: options)
    }

    /// Returns whether a URL or reference ends in text that a play URL would parse as an option.
    static func endsInOption(_ reference: String) -> Bool { strippingFastStart(reference[...]) != nil }

    /// Returns the target without the last query item `faststart=1`; nil if it has none.
    private static func strippingFastStart(_ target: Substring) -> Substring? {
        for suffix in ["?faststart=1", "&faststart=1"] where target.hasSuffix(suffix) {
            guard suffix.hasPrefix("?") || target.contains("?") else { continue }
            return target.dropLast(suffix.count)
        }
        return nil
    }

    private static func decodeAuthority(_ text: Substring) -> String? {
        // The server encodes only brackets, and clients may also encode colons. Other escapes belong to the user
        // information and are left unchanged.
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var output = ""
        var rest = text
        while let percent = rest.firstIndex(of: "%") {
            output += rest[..<percent]
            guard let end = rest.index(percent, offsetBy: 3, limitedBy: rest.endIndex) else { return nil }
            switch rest[percent..<end].uppercased() {
            case "%5B": output += "["
            case "%5D": output += "]"
            case "%3A": output += ":"
            default: output += rest[percent..<end]
            }
            rest = rest[end...]
        }
        return output + rest
    }

    private static func encodeAuthority(_ authority: String) -> String {
        guard authority.utf8.contains(UInt8(ascii: "[")) else { return authority }
        return authority.replacing("[", with: "%5B").replacing("]", with: "%5D")
    }

    private static func malformed(_ reason: String) -> CacheError {
        CacheError(.invalidURL, "the path isn't a play URL: \(reason); expected /play/<token>/<scheme>/<host>/<path>")
    }
}
