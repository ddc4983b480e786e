public import Foundation

/// The scope of a token.
public enum TokenScope: String, Codable, Sendable, Hashable, CaseIterable {
    /// Every path that players read: `/play`, `/library` and `/live`. Not the API.
    case playback
    /// The paths of one asset in `/library`, and signed `/play` URLs of what the asset's documents name.
    case asset
}

/// A token, as the API lists it.
public struct TokenRecord: Codable, Sendable, Hashable {
    /// The name by which it's revoked; `standing` is the one that the API's own URLs hold. It's no secret.
    public var id: String
    /// The token's scope.
    public var scope: TokenScope
    /// The ID of the asset that it opens; null unless the scope is ``TokenScope/asset``.
    public var asset: String?
    /// The user's label.
    public var label: String?
    /// When it was issued; null for the standing token.
    public var created: Date?
    /// When it stops working; null is never.
    public var expires: Date?
    /// When a request held it last; null if none has. Of the standing token, since the server was started.
    public var lastUsed: Date?
    /// The token: 32 or 43 letters, digits, `-` and `_`. Present where it's issued, and for `standing` where that alone is
    /// asked for.
    public var token: String?
    /// The prefix of the asset's URLs with the token; present where a token of an asset is issued.
    public var libraryURL: String?
    /// The URL for a player with the token; present where it's issued for a URL, or for an asset that has one.
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

/// The answer of `GET /api/v1/tokens`.
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
    /// The ID of the asset that it opens; required by ``TokenScope/asset``, and by no other scope.
    public var asset: String?
    /// The URL that the answer's `playURL` plays; for ``TokenScope/playback`` alone. User information in it is used as in
    /// `GET /api/v1/urls`.
    public var url: String?
    /// The label, at most 200 characters.
    public var label: String?
    /// When it stops working. Null is never.
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
