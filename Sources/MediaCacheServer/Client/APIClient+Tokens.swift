internal import NIOCore
internal import NIOHTTP1

extension APIClient {
    /// The valid tokens, the standing one first.
    public func tokens() async throws -> [TokenRecord] {
        try await all(TokenList.self, "/api/v1/tokens")
    }

    /// Issues a token. Its record alone holds the token, which can't be asked for again.
    public func issueToken(_ wanted: TokenAddition) async throws -> TokenRecord {
        try await call(.POST, "/api/v1/tokens", content: try .json(wanted))
    }

    /// Revokes a token: the owner refuses it from now on.
    ///
    /// - Throws: ``Problem`` with the status 404 for an unknown ID.
    public func revokeToken(_ id: String) async throws {
        try await send(.DELETE, "/api/v1/tokens/\(Self.escape(id))")
    }

    /// Replaces the key. The owner refuses the old one from now on, so that this client can make no further call; the new
    /// one is in the key's file.
    public func rollKey() async throws {
        try await send(.POST, "/api/v1/key")
    }
}
