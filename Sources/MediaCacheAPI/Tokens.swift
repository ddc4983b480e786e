public import Foundation
internal import NIOHTTP1

/// The scope of a token.
public enum TokenScope: String, Codable, Sendable, Hashable, CaseIterable {
    /// Every path that players read: `/play`, `/library` and `/live`. The API is excluded.
    case playback
    /// The paths of one asset in `/library`, and signed `/play` URLs that the asset's documents reference.
    case asset
}

/// A token, as the API lists it.
public struct TokenRecord: Codable, Sendable, Hashable {
    /// The ID by which it's revoked; it isn't secret. `standing` is the token in the API's own URLs.
    public var id: String
    /// The token's scope.
    public var scope: TokenScope
    /// The ID of the asset that it opens; null unless the scope is ``TokenScope/asset``.
    public var asset: String?
    /// The user's label.
    public var label: String?
    /// The time it was issued; null for the standing token.
    public var created: Date?
    /// The time it expires; null means never.
    public var expires: Date?
    /// The time of the last request with it; null if there was none. For the standing token, since the server started.
    public var lastUsed: Date?
    /// The token: 32 or 43 letters, digits, `-` and `_`. Present in the response that issues it, and in a response
    /// that contains only the token `standing`.
    public var token: String?
    /// The prefix of the asset's URLs with the token; present in the response that issues an asset's token.
    public var libraryURL: String?
    /// The playback URL with the token; present in the response that issues it for a URL, or for an asset that has one.
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
    /// The valid tokens, the standing one first.
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

/// The body of `POST /api/v1/tokens`: issue a token.
public struct TokenAddition: Codable, Sendable, Hashable {
    /// The token's scope.
    public var scope: TokenScope
    /// The ID of the asset that it opens; required by ``TokenScope/asset``, and invalid for any other scope.
    public var asset: String?
    /// The URL that the response's `playURL` plays; only for ``TokenScope/playback``. User information in it is used as
    /// in `GET /api/v1/urls`.
    public var url: String?
    /// The label, at most 200 characters.
    public var label: String?
    /// The time it expires. Null means never.
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
    /// Returns the valid tokens, the standing one first.
    public func tokens() async throws -> [TokenRecord] {
        try await all(TokenList.self, "/api/v1/tokens")
    }

    /// Issues a token. The returned record is the only place to read the token from.
    public func issueToken(_ addition: TokenAddition) async throws -> TokenRecord {
        try await call(.POST, "/api/v1/tokens", content: try .json(addition))
    }

    /// Revokes a token. The server refuses it from now on.
    ///
    /// - Throws: ``Problem`` with the status 404 for an unknown ID.
    public func revokeToken(_ id: String) async throws {
        try await send(.DELETE, "/api/v1/tokens/\(Self.escape(id))")
    }

    /// Replaces the API key. The server refuses the old one from now on, so this client can make no further call; the
    /// key file has the new one.
    public func rollKey() async throws {
        try await send(.POST, "/api/v1/key")
    }
}
