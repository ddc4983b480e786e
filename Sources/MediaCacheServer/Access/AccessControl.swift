import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary
import NIOPosix
import Synchronization

/// The access rights of the API key and of tokens. The key gives access to the API, `/library` and `/live`; a token
/// gives access to the paths that players read.
///
/// The standing playback token is part of the URLs that the page and the API provide. The library token is part of the
/// address that other devices open. Both are derived from the key and the number of their revocations, so they aren't
/// stored. All other tokens are random, and only their hashes are stored.
final class AccessControl: Sendable {
    static let standingID = "standing"
    static let libraryID = "library"
    /// The maximum number of valid tokens, excluding the standing one and the library token.
    static let capacity = 256
    private static let maximumTokenLength = 128

    private struct State {
        var key: AccessKey
        var issued: IssuedTokens
        var standing: String
        var standingDigest: TokenDigest
        var library: String
        var libraryDigest: TokenDigest

        init(key: AccessKey, issued: IssuedTokens) {
            self.key = key
            self.issued = issued
            standing = key.standingToken(afterRevocations: issued.revocations)
            standingDigest = TokenDigest(of: standing)
            library = key.libraryToken(afterRevocations: issued.libraryRevocations ?? 0)
            libraryDigest = TokenDigest(of: library)
        }
    }

    private let keyFile: AccessKeyFile?
    private let tokenFile: TokenFile?
    /// Whether the library token is valid.
    private let sharesLibrary: Bool
    private let now: @Sendable () -> Date
    private let state: Mutex<State>
    /// Serializes changes to the files.
    private let changes = ConcurrencyLimit()

    /// - Parameters:
    ///   - file: The key file; nil if the key isn't stored.
    ///   - tokenFile: The token file, read by ``load()``; nil if tokens aren't stored.
    ///   - sharesLibrary: Whether the library token is valid.
    ///   - now: The clock that decides when tokens expire.
    init(
        key: AccessKey, file: AccessKeyFile? = nil, tokenFile: TokenFile? = nil, sharesLibrary: Bool = false,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        keyFile = file
        self.tokenFile = tokenFile
        self.sharesLibrary = sharesLibrary
        self.now = now
        state = Mutex(State(key: key, issued: IssuedTokens()))
    }

    var key: AccessKey { state.withLock { $0.key } }

    /// The standing playback token.
    var playbackToken: String { state.withLock { $0.standing } }

    /// The library token; nil if it isn't valid.
    var libraryToken: String? { sharesLibrary ? state.withLock { $0.library } : nil }

    /// Loads the tokens of earlier processes. Throws the errors of ``TokenFile/load()``.
    func load() async throws {
        guard let issued = try await tokenFile?.load() else { return }
        state.withLock { $0 = State(key: $0.key, issued: issued) }
    }

    /// Writes the times of last use, if they have changed. After a failure, the next call writes them.
    ///
    /// - Throws: `CacheError` with `storage` if the file can't be written.
    func save() async throws {
        try await changes.runUncancelled {
            guard let tokenFile else { return }
            let issued = state.withLock { state -> IssuedTokens? in
                defer { state.issued.hasNewUses = false }
                return state.issued.hasNewUses ? state.issued : nil
            }
            guard let issued else { return }
            do {
                try await tokenFile.write(issued)
            } catch {
                state.withLock { $0.issued.hasNewUses = true }
                throw error
            }
        }
    }

    /// Returns whether an `Authorization` field contains the key as a bearer token (RFC 6750 §2.1).
    func admits(authorization: String?) -> Bool {
        guard let authorization else { return false }
        let words = authorization.split(separator: " ", maxSplits: 1)
        return words.count == 2 && words[0].lowercased() == "bearer" && key.matches(words[1])
    }

    /// Returns the grant of a token, and records its use; nil for an unknown, expired or revoked token.
    func grant(for candidate: some StringProtocol) -> AccessGrant? {
        guard (1...Self.maximumTokenLength).contains(candidate.utf8.count) else { return nil }
        return grant(for: TokenDigest(of: candidate))
    }

    private func grant(for digest: TokenDigest) -> AccessGrant? {
        let now = now()
        return state.withLock { state in
            if state.standingDigest.matches(digest) {
                state.issued.standingLastUsed = now
                return .playback
            }
            if sharesLibrary, state.libraryDigest.matches(digest) {
                state.issued.libraryLastUsed = now
                return .library
            }
            // All tokens are compared, so that the duration doesn't depend on the position of the match.
            var found: Int?
            for (index, token) in state.issued.tokens.enumerated() where token.digest.matches(digest) { found = index }
            guard let found, !state.issued.tokens[found].hasExpired(at: now) else { return nil }
            state.issued.tokens[found].lastUsed = now
            state.issued.hasNewUses = true
            return state.issued.tokens[found].asset.map(AccessGrant.asset) ?? .playback
        }
    }

    /// Returns whether the token of a play URL opens it, and records the token's use. An asset token opens only signed
    /// play URLs, and the library token opens none.
    ///
    /// - Parameter digest: The digest of the target's token; nil to compute it.
    func admits(_ target: PlayTarget, digest: TokenDigest? = nil) -> Bool {
        switch grant(for: digest ?? TokenDigest(of: target.token)) {
        case nil, .library: return false
        case .playback: return true
        case .asset: break
        }
        // The signature doesn't cover user information, which could name another user.
        guard target.credentials == nil, let signature = target.options.signature else { return false }
        return signature.isEqualInConstantTime(to: self.signature(of: target))
    }

    /// Returns the signature with which an asset token opens a play URL: a 128-bit message authentication code of the
    /// resource and options, valid only with this token.
    func signature(of target: PlayTarget) -> String {
        let secret = state.withLock { $0.issued.signingSecret }
        let text = "\(TokenDigest(of: target.token).rawValue) \(target.signedText)"
        return base64URL(SHA256.authenticationCode(of: text, key: Array(secret)).prefix(16))
    }

    /// Returns whether a response body contains the key, the standing token or the library token.
    func isSecret(_ bytes: [UInt8]) -> Bool {
        let secrets = state.withLock { [$0.key.value, $0.standing, $0.library] }
        let data = Data(bytes)
        return secrets.contains { data.range(of: Data($0.utf8)) != nil }
    }

    /// Returns the valid tokens: the standing one, the library token, and those that were issued.
    func tokens() -> [AccessToken] {
        let now = now()
        return state.withLock { state in
            let standing = AccessToken(
                id: Self.standingID, label: "page and API", lastUsed: state.issued.standingLastUsed,
                digest: state.standingDigest)
            let library = AccessToken(
                id: Self.libraryID, label: "other devices", lastUsed: state.issued.libraryLastUsed,
                digest: state.libraryDigest)
            let issued = state.issued.tokens.filter { !$0.hasExpired(at: now) }
            return [standing] + (sharesLibrary ? [library] : []) + issued
        }
    }

    /// Issues a token and returns when it is durable.
    ///
    /// - Parameter asset: The asset that the token gives access to; nil for a playback token.
    /// - Returns: The stored record, and the token itself, which isn't stored.
    /// - Throws: ``Problem`` with 409 at the limit of valid tokens; `CacheError` with `storage`.
    func issue(asset: AssetID?, label: String?, expires: Date?) async throws -> (record: AccessToken, token: String) {
        try await changes.runUncancelled {
            let token = AccessKey().value
            let record = AccessToken(
                id: AccessKey().id, asset: asset, label: label, created: now(), expires: expires,
                digest: TokenDigest(of: token))
            var issued = state.withLock { $0.issued }
            issued.tokens.removeAll { $0.hasExpired(at: now()) }
            guard issued.tokens.count < Self.capacity else {
                throw Problem.conflict("the limit of \(Self.capacity) valid tokens is reached; revoke one first")
            }
            issued.tokens.append(record)
            try await tokenFile?.write(issued)
            state.withLock { state in
                state.issued.tokens.removeAll { $0.hasExpired(at: now()) }
                state.issued.tokens.append(record)
            }
            return (record, token)
        }
    }

    /// Revokes a token, which is refused immediately. The standing token and the library token are replaced by new
    /// ones. Returns when the change is durable.
    ///
    /// - Returns: Whether a token with this ID existed.
    /// - Throws: `CacheError` with `storage` if the change can't be written. It is then lost at the end of the process,
    ///   unless a later change is written.
    func revoke(_ id: String) async throws -> Bool {
        try await changes.runUncancelled {
            let issued = state.withLock { state -> IssuedTokens? in
                if id == Self.standingID {
                    state.issued.revocations += 1
                    state.issued.standingLastUsed = nil
                    state = State(key: state.key, issued: state.issued)
                    return state.issued
                }
                // Also while it isn't valid. Otherwise it would become valid again with the next `--lan`.
                if id == Self.libraryID {
                    state.issued.libraryRevocations = (state.issued.libraryRevocations ?? 0) + 1
                    state.issued.libraryLastUsed = nil
                    state = State(key: state.key, issued: state.issued)
                    return state.issued
                }
                guard let index = state.issued.tokens.firstIndex(where: { $0.id == id }) else { return nil }
                state.issued.tokens.remove(at: index)
                return state.issued
            }
            guard let issued else { return false }
            try await tokenFile?.write(issued)
            return true
        }
    }

    /// Revokes all tokens of an asset, as ``revoke(_:)`` does.
    func revokeAll(of asset: AssetID) async throws {
        try await changes.runUncancelled {
            let issued = state.withLock { state -> IssuedTokens? in
                let count = state.issued.tokens.count
                state.issued.tokens.removeAll { $0.asset == asset }
                return state.issued.tokens.count < count ? state.issued : nil
            }
            if let issued { try await tokenFile?.write(issued) }
        }
    }

    /// Replaces the key, the standing token and the library token; the old ones are refused immediately. Returns when
    /// the new key is durable in its file, if it has one.
    ///
    /// - Throws: `CacheError` with `storage` if the key can't be written; the old key remains valid.
    func roll() async throws -> AccessKey {
        try await changes.runUncancelled {
            let key: AccessKey
            if let keyFile {
                key = try await NIOThreadPool.singleton.runIfActive { try keyFile.roll() }
            } else {
                key = AccessKey()
            }
            state.withLock { $0 = State(key: key, issued: $0.issued) }
            return key
        }
    }
}

/// The rights of a valid token.
enum AccessGrant: Sendable, Hashable {
    /// All paths of ``RouteAccess/reader``, and play URLs.
    case playback
    /// The list of playable items, and all paths below `/library` and `/live`.
    case library
    /// The paths of one asset, and signed play URLs.
    case asset(AssetID)

    /// Returns whether the token gives access to a path after it. Only the library token opens the list of items.
    func admits(path: String) -> Bool {
        switch self {
        case .playback: path != ItemsRoute.path
        case .library:
            path == ItemsRoute.path || path.hasPrefix(LibraryRoute.prefix) || path.hasPrefix(LiveRoute.prefix)
        case .asset(let asset): path.hasPrefix("\(LibraryRoute.prefix)\(asset)/")
        }
    }
}
