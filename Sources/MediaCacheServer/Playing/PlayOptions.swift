import Foundation
public import MediaCache
import MediaCacheAPI

/// The options in a play URL: `;name=value` after the token. Unknown options are ignored.
public struct PlayOptions: Sendable, Hashable, CustomStringConvertible {
    /// Whether the index of an MP4 file is moved to the front: `faststart=1`.
    public var fastStart: Bool
    /// Whether only public addresses may be contacted: `net=public`. References in a public document have this option,
    /// since they mustn't lead behind this machine's firewall.
    public var isPublicOnly: Bool
    var scope: AddressScope { isPublicOnly ? .publicOnly : .any }
    /// Whether only cached bytes are read, without origin requests: `cached=1`.
    public var isCachedOnly: Bool
    /// Whether the origin requests of a signed URL are sent without header profiles, cookies and user: `anonymous=1`.
    /// References from a signed document to other origins have this option, since an asset token doesn't use the
    /// owner's credentials there.
    var isAnonymous = false
    /// Whether the whole query belongs to the origin, although it ends like a server option: `query=whole`.
    var isQueryWhole = false
    /// The kind of document, if only the referencing playlist determines it: `as=assets` or `as=steering`.
    public var document: StreamDocument.Kind?
    /// The user for origin requests: `profile=<identity>`. The server remembers the user's password.
    public var identity: ProfileIdentity?
    /// The variables of the multivariant playlist that references this media playlist, which may import them (RFC
    /// 8216bis §4.4.2.3): `define=<JSON in base64url>`.
    public var variables: [String: String]
    /// A token for variables that are too long for a URL, valid while the server caches them: `defines=<token>`.
    var variableToken: String?

    /// The file below a playlist, a `FragmentFile`, that the URL requests instead of the playlist, and its query:
    /// `fragments=segments.json&from=60`.
    var fragments: String?

    /// The signature with which an asset token opens the URL (``AccessControl/signature(of:)``): `sig=<base64url>`.
    var signature: String?

    private static let wholeQuery: Substring = "query=whole"
    private static let anonymous: Substring = "anonymous=1"

    /// Creates options. By default, none are set.
    public init(
        fastStart: Bool = false, isPublicOnly: Bool = false, isCachedOnly: Bool = false,
        document: StreamDocument.Kind? = nil, identity: ProfileIdentity? = nil, variables: [String: String] = [:]
    ) {
        self.fastStart = fastStart
        self.isPublicOnly = isPublicOnly
        self.isCachedOnly = isCachedOnly
        self.document = document
        self.identity = identity
        self.variables = variables
    }

    init(variableToken: String) {
        self.init()
        self.variableToken = variableToken
    }

    /// Parses `name=value` items.
    init(_ items: [Substring]) {
        self.init(
            fastStart: items.contains("faststart=1"), isPublicOnly: items.contains("net=public"),
            isCachedOnly: items.contains(PlayPath.cachedOnly))
        isAnonymous = items.contains(Self.anonymous)
        isQueryWhole = items.contains(Self.wholeQuery)
        document = StreamDocument.Kind.allCases.first { items.contains("as=\($0.rawValue)") }
        identity = Self.value("profile", of: items).flatMap { ProfileIdentity(String($0)) }
        variableToken = Self.value("defines", of: items).map(String.init)
        fragments = Self.value("fragments", of: items).map(String.init)
        signature = Self.value("sig", of: items).map(String.init)
        guard let data = Self.value("define", of: items).flatMap({ decodeBase64URL($0) }) else { return }
        variables = (try? JSONDecoder().decode([String: String].self, from: data)) ?? [:]
    }

    private static func value(_ name: String, of items: [Substring]) -> Substring? {
        items.first { $0.hasPrefix("\(name)=") }?.dropFirst(name.count + 1)
    }

    /// The text of the options in a play URL, each preceded by a semicolon.
    public var description: String {
        var text = fastStart ? ";faststart=1" : ""
        if isPublicOnly { text += ";net=public" }
        if isCachedOnly { text += ";\(PlayPath.cachedOnly)" }
        if isAnonymous { text += ";\(Self.anonymous)" }
        if isQueryWhole { text += ";\(Self.wholeQuery)" }
        if let identity { text += ";profile=\(identity)" }
        if let document { text += ";as=\(document.rawValue)" }
        if let variableToken { text += ";defines=\(variableToken)" }
        if let fragments { text += ";fragments=\(fragments)" }
        if let signature { text += ";sig=\(signature)" }
        if !variables.isEmpty, let data = try? Self.encoder.encode(variables) { text += ";define=" + base64URL(data) }
        return text
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        // Sorted, so that the same variables always produce the same URL.
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}
