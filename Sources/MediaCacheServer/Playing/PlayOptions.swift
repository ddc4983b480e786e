import Foundation
public import MediaCache
import MediaCacheAPI

/// The options in a play URL: `;name=value` after the token. Unknown options are ignored.
public struct PlayOptions: Sendable, Hashable, CustomStringConvertible {
    /// Whether the index of an MP4 file is to be moved to the front: `faststart=1`.
    public var fastStart: Bool
    /// Whether only public addresses may be asked: `net=public`. It marks the references of a document from outside,
    /// which may not lead behind this machine's firewall.
    public var isPublicOnly: Bool
    /// The scope that ``isPublicOnly`` means.
    var scope: AddressScope { isPublicOnly ? .publicOnly : .any }
    /// Whether only what is kept is read, and the origin isn't asked for anything: `kept=1`.
    public var isKeptOnly: Bool
    /// Whether the origin is requested without header profiles, cookies and user: `anonymous=1`. It marks the references
    /// of a signed document to other origins: a token of one asset doesn't use the owner's credentials there.
    var isAnonymous = false
    /// Whether all of the query is the origin's, though it ends as an option of ours does: `query=whole`.
    var isQueryWhole = false
    /// What the resource is read as, where only the playlist that names it tells: `as=assets` or `as=steering`.
    public var document: StreamDocument.Kind?
    /// In whose name the origin is asked: `profile=<identity>`. The header profile itself, with the password, is the
    /// server's to know.
    public var identity: ProfileIdentity?
    /// The variables of the multivariant playlist that named this media playlist, which it may import
    /// (RFC 8216bis §4.4.2.3): `define=<JSON in base64url>`.
    public var variables: [String: String]
    /// What stands for variables that are too many for a URL, as long as the server runs: `defines=<token>`.
    var variableToken: String?

    /// The signature by which a token of one asset opens the URL (``AccessControl/signature(of:)``): `sig=<base64url>`.
    var signature: String?

    /// How ``isQueryWhole`` is written.
    private static let wholeQuery: Substring = "query=whole"

    /// How ``isAnonymous`` is written.
    private static let anonymous: Substring = "anonymous=1"

    /// Creates options; without arguments, none.
    public init(
        fastStart: Bool = false, isPublicOnly: Bool = false, isKeptOnly: Bool = false,
        document: StreamDocument.Kind? = nil, identity: ProfileIdentity? = nil, variables: [String: String] = [:]
    ) {
        self.fastStart = fastStart
        self.isPublicOnly = isPublicOnly
        self.isKeptOnly = isKeptOnly
        self.document = document
        self.identity = identity
        self.variables = variables
    }

    /// Options for what may import the variables that a token stands for.
    init(variableToken: String) {
        self.init()
        self.variableToken = variableToken
    }

    /// Reads `name=value` items.
    init(_ items: [Substring]) {
        self.init(
            fastStart: items.contains("faststart=1"), isPublicOnly: items.contains("net=public"),
            isKeptOnly: items.contains(PlayPath.keptOnly))
        isAnonymous = items.contains(Self.anonymous)
        isQueryWhole = items.contains(Self.wholeQuery)
        document = StreamDocument.Kind.allCases.first { items.contains("as=\($0.rawValue)") }
        identity = Self.value("profile", of: items).flatMap { ProfileIdentity(String($0)) }
        variableToken = Self.value("defines", of: items).map(String.init)
        signature = Self.value("sig", of: items).map(String.init)
        guard let text = Self.value("define", of: items) else { return }
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
        guard let data = Data(base64Encoded: base64 + padding) else { return }
        variables = (try? JSONDecoder().decode([String: String].self, from: data)) ?? [:]
    }

    private static func value(_ name: String, of items: [Substring]) -> Substring? {
        items.first { $0.hasPrefix("\(name)=") }?.dropFirst(name.count + 1)
    }

    /// The options as they stand in a play URL, each with its semicolon.
    public var description: String {
        var text = fastStart ? ";faststart=1" : ""
        if isPublicOnly { text += ";net=public" }
        if isKeptOnly { text += ";\(PlayPath.keptOnly)" }
        if isAnonymous { text += ";\(Self.anonymous)" }
        if isQueryWhole { text += ";\(Self.wholeQuery)" }
        if let identity { text += ";profile=\(identity)" }
        if let document { text += ";as=\(document.rawValue)" }
        if let variableToken { text += ";defines=\(variableToken)" }
        if let signature { text += ";sig=\(signature)" }
        if !variables.isEmpty, let data = try? Self.encoder.encode(variables) {
            text += ";define=" + base64URL(data)
        }
        return text
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        // The same URL each time.
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}
