import Crypto
import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary
import NIOPosix
import Synchronization

/// Decides what a secret in a request opens: the key opens the API, a token opens paths that players read.
///
/// The standing playback token, which the page's and the API's URLs hold, is derived from the key and from the number of
/// times that it was revoked, so it needs no place on disk. Every other token is random and is stored as its hash.
final class AccessControl: Sendable {
    /// The ID by which the standing playback token is listed and revoked.
    static let standingID = "standing"
    /// The most tokens that may be valid at once, without the standing one.
    static let capacity = 256
    /// The longest text in bytes that is compared with the tokens.
    private static let longestToken = 128

    private struct State {
        var key: AccessKey
        var issued: IssuedTokens
        var standing: String
        var standingDigest: TokenDigest

        init(key: AccessKey, issued: IssuedTokens) {
            self.key = key
            self.issued = issued
            standing = key.standingToken(afterRevocations: issued.revocations)
            standingDigest = TokenDigest(of: standing)
        }
    }

    private let keyFile: AccessKeyFile?
    private let tokenFile: TokenFile?
    private let now: @Sendable () -> Date
    private let state: Mutex<State>
    /// Changes reach the files one after the other.
    private let turns = Turns()

    /// - Parameters:
    ///   - file: the file of the key; nil if the key isn't stored.
    ///   - tokenFile: the file of the tokens, read by ``load()``; nil if they end with the process.
    ///   - now: the clock by which tokens expire.
    init(
        key: AccessKey, file: AccessKeyFile? = nil, tokenFile: TokenFile? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        keyFile = file
        self.tokenFile = tokenFile
        self.now = now
        state = Mutex(State(key: key, issued: IssuedTokens()))
    }

    var key: AccessKey { state.withLock { $0.key } }

    /// The standing playback token.
    var playbackToken: String { state.withLock { $0.standing } }

    /// Reads the tokens of earlier processes.
    ///
    /// - Throws: `CacheError` with `storage` for a file that can't be read or is damaged.
    func load() async throws {
        guard let issued = try await tokenFile?.load() else { return }
        state.withLock { $0 = State(key: $0.key, issued: issued) }
    }

    /// Writes when tokens were last used, if any was since the last write.
    func save() async throws {
        try await turns.take {
            guard let tokenFile else { return }
            let issued = state.withLock { state -> IssuedTokens? in
                defer { state.issued.hasNewUses = false }
                return state.issued.hasNewUses ? state.issued : nil
            }
            if let issued { try await tokenFile.write(issued) }
        }
    }

    // MARK: - Requests

    /// Whether an `Authorization` field carries the key as a bearer token (RFC 6750 §2.1).
    func admits(authorization: String?) -> Bool {
        guard let authorization else { return false }
        let words = authorization.split(separator: " ", maxSplits: 1)
        return words.count == 2 && words[0].lowercased() == "bearer" && key.matches(words[1])
    }

    /// Returns what the text of a path opens as a token, and notes its use; nil if it's no token, or an expired or revoked
    /// one.
    func grant(for candidate: some StringProtocol) -> AccessGrant? {
        guard (1...Self.longestToken).contains(candidate.utf8.count) else { return nil }
        return grant(for: TokenDigest(of: candidate))
    }

    private func grant(for digest: TokenDigest) -> AccessGrant? {
        let now = now()
        return state.withLock { state in
            if state.standingDigest.matches(digest) {
                state.issued.standingLastUsed = now
                return AccessGrant(asset: nil)
            }
            // All are compared: the time doesn't depend on the place of the one that matches.
            var found: Int?
            for (index, token) in state.issued.tokens.enumerated() where token.digest.matches(digest) { found = index }
            guard let found, !state.issued.tokens[found].hasExpired(at: now) else { return nil }
            state.issued.tokens[found].lastUsed = now
            state.issued.hasNewUses = true
            return AccessGrant(asset: state.issued.tokens[found].asset)
        }
    }

    /// Whether the token of a play URL opens it. A token of one asset opens only signed play URLs.
    ///
    /// - Parameter digest: the digest of the target's token, which connections remember; nil to compute it.
    func admits(_ target: PlayTarget, digest: TokenDigest? = nil) -> Bool {
        guard let grant = grant(for: digest ?? TokenDigest(of: target.token)) else { return false }
        guard grant.asset != nil else { return true }
        // User information isn't signed: another user's name would be another option.
        guard target.credentials == nil, let signature = target.options.signature else { return false }
        return signature.isEqualInConstantTime(to: self.signature(of: target))
    }

    /// Returns the signature by which a token of one asset opens a play URL: a message authentication code of its resource
    /// and options, 128 bits long, valid with this token alone.
    func signature(of target: PlayTarget) -> String {
        let secret = state.withLock { $0.issued.signingSecret }
        let text = "\(TokenDigest(of: target.token).text) \(target.signedText)"
        let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: secret))
        return base64URL(Data(code).prefix(16))
    }

    /// Whether a response body holds the key or the standing token.
    func isSecret(_ bytes: [UInt8]) -> Bool {
        let (key, standing) = state.withLock { ($0.key, $0.standing) }
        let data = Data(bytes)
        return [key.value, standing].contains { data.range(of: Data($0.utf8)) != nil }
    }

    // MARK: - Changes

    /// The tokens that are valid now, the standing one first.
    func tokens() -> [AccessToken] {
        let now = now()
        return state.withLock { state in
            let standing = AccessToken(
                id: Self.standingID, label: "page and API", lastUsed: state.issued.standingLastUsed,
                digest: state.standingDigest)
            return [standing] + state.issued.tokens.filter { !$0.hasExpired(at: now) }
        }
    }

    /// Issues a token. Returns when it's durable.
    ///
    /// - Parameters:
    ///   - asset: the asset that it opens; nil for a playback token.
    ///   - expires: when it stops working; nil is never.
    /// - Returns: what is stored of it, and the token, which is stored nowhere.
    /// - Throws: ``Problem`` with 409 where too many are valid; `CacheError` with `storage`.
    func issue(asset: AssetID?, label: String?, expires: Date?) async throws -> (record: AccessToken, token: String) {
        try await turns.take {
            let token = AccessKey().value
            let record = AccessToken(
                id: AccessKey().id, asset: asset, label: label, created: now(), expires: expires,
                digest: TokenDigest(of: token))
            var issued = state.withLock { $0.issued }
            issued.tokens.removeAll { $0.hasExpired(at: now()) }
            guard issued.tokens.count < Self.capacity else {
                throw Problem.conflict("\(Self.capacity) tokens are valid; revoke one first")
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

    /// Revokes a token: it's refused from now on. Returns when that is durable. The standing token is replaced.
    ///
    /// - Returns: whether there was one of this ID.
    /// - Throws: `CacheError` with `storage`; the token is refused until the process ends all the same.
    func revoke(_ id: String) async throws -> Bool {
        try await turns.take {
            let issued = state.withLock { state -> IssuedTokens? in
                if id == Self.standingID {
                    state.issued.revocations += 1
                    state.issued.standingLastUsed = nil
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

    /// Revokes the tokens of an asset, as when it is removed. Returns when that is durable.
    ///
    /// - Throws: `CacheError` with `storage`; the tokens are refused until the process ends all the same.
    func revokeAll(of asset: AssetID) async throws {
        try await turns.take {
            let issued = state.withLock { state -> IssuedTokens? in
                let count = state.issued.tokens.count
                state.issued.tokens.removeAll { $0.asset == asset }
                return state.issued.tokens.count < count ? state.issued : nil
            }
            if let issued { try await tokenFile?.write(issued) }
        }
    }

    /// Replaces the key, and with it the standing token. The old ones are refused from now on. Returns when the new key is
    /// durable in its file, if it has one.
    ///
    /// - Throws: `CacheError` with `storage`; the old key holds then.
    func roll() async throws -> AccessKey {
        try await turns.take {
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

/// What a valid token opens.
struct AccessGrant: Sendable, Hashable {
    /// The asset that it's limited to; nil for a playback token.
    let asset: AssetID?

    /// Whether it opens a path of ``RouteAccess/reader``.
    func admits(path: String) -> Bool {
        guard let asset else { return true }
        return path.hasPrefix("\(LibraryRoute.prefix)\(asset)/")
    }
}
