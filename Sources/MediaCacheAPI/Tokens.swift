public import Foundation
internal import HTTPTypes

/// The scope of a token.
public enum TokenScope: String, Codable, Sendable, Hashable, CaseIterable {
    /// All paths that players read: `/play`, `/library` and `/live`. The API is excluded.
    case playback
    /// The list of items that can be played, `/library` and `/live`, for a page without the key on other devices.
    /// `/play` and the API are excluded.
    case library
    /// The paths of one asset in `/library`, and the signed `/play` URLs that the asset's documents reference.
    case asset
}

/// A token in the API.
public struct TokenRecord: Codable, Sendable, Hashable {
    /// The ID for revoking the token. It isn't secret. `standing` is the ID of the token in the URLs that the page
    /// and the API provide, and `library` that of the token in the address for other devices.
    public var id: String
    /// The token's scope.
    public var scope: TokenScope
    /// The ID of the asset that the token gives access to; null unless the scope is ``TokenScope/asset``.
    public var asset: String?
    /// The user's label.
    public var label: String?
    /// The time the token was issued; null for the standing token and the library token.
    public var created: Date?
    /// The time the token expires; null means never.
    public var expires: Date?
    /// The time of the last request with the token; null if there was none. For the standing token and the library
    /// token, it covers only the time since the server started.
    public var lastUsed: Date?
    /// The token: 32 or 43 letters, digits, `-` and `_`. It is present in the response that issues the token, and in
    /// the responses to requests for the tokens `standing` and `library`.
    public var token: String?
    /// The prefix of the asset's URLs, including the token. It is present in the response that issues a token for an
    /// asset.
    public var libraryURL: String?
    /// The playback URL, including the token. It is present in the response that issues a token for a URL, or for an
    /// asset that has one.
    public var playURL: String?

    /// Creates a record.
    public init(
        id: String, scope: TokenScope, asset: String? = nil, label: String? = nil, created: Date? = nil,
        expires: Date? = nil, lastUsed: Date? = nil, token: String? = nil
    ) {
        self.id = id
        self.scope = scope
        self.asset = asset
        self.label = label
        self.created = created
        self.expires = expires
        self.lastUsed = lastUsed
        self.token = token
    }
}

/// The response to `GET /api/v1/tokens`.
public struct TokenList: PagedList, Hashable {
    /// The valid tokens, the standing one and the library token first.
    public var tokens: [TokenRecord]
    /// The cursor of the next page, for `?after=`; null on the last page.
    public var next: String?

    /// Creates a list.
    public init(tokens: [TokenRecord], next: String? = nil) {
        self.tokens = tokens
        self.next = next
    }

    /// The items of the page.
    public var items: [TokenRecord] { tokens }
}

/// The body of `POST /api/v1/tokens`: a token to issue.
public struct TokenAddition: Codable, Sendable, Hashable {
    /// The token's scope: ``TokenScope/playback`` or ``TokenScope/asset``.
    public var scope: TokenScope
    /// The ID of the asset that the token gives access to: required for ``TokenScope/asset``, invalid otherwise.
    public var asset: String?
    /// The URL that the response's `playURL` plays, only for ``TokenScope/playback``. User information in it is handled
    /// as by `GET /api/v1/urls`.
    public var url: String?
    /// The label, 1 to 200 characters; null for none.
    public var label: String?
    /// The time the token expires, in the future. Null means never.
    public var expires: Date?

    /// Creates a request.
    public init(
        scope: TokenScope, asset: String? = nil, url: String? = nil, label: String? = nil, expires: Date? = nil
    ) {
        self.scope = scope
        self.asset = asset
        self.url = url
        self.label = label
        self.expires = expires
    }
}

extension APIClient {
    /// Returns the valid tokens, the standing one and the library token first.
    public func tokens() async throws -> [TokenRecord] { try await all(TokenList.self, "/api/v1/tokens") }

    /// Returns a valid token; nil if there is none with this ID.
    public func token(_ id: String) async throws -> TokenRecord? {
        try await callIfFound(.get, "/api/v1/tokens/\(Self.escape(id))")
    }

    /// Issues a token. It can be read only from the returned record.
    ///
    /// - Throws: ``Problem`` with status 404 if the asset doesn't exist, or with 409 at the limit of 256 valid tokens.
    public func issueToken(_ addition: TokenAddition) async throws -> TokenRecord {
        try await call(.post, "/api/v1/tokens", content: try .json(addition))
    }

    /// Revokes a token. The server refuses it from then on. The standing token and the library token are replaced by
    /// new ones.
    ///
    /// - Throws: ``Problem`` with status 404 if the ID is unknown.
    public func revokeToken(_ id: String) async throws {
        try await send(.delete, "/api/v1/tokens/\(Self.escape(id))")
    }

    /// Replaces the API key, the standing token and the library token. The server refuses the old ones immediately, so
    /// this client can't make further calls. The key file contains the new key.
    public func rollKey() async throws { try await send(.post, "/api/v1/key") }
}
