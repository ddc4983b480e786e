import Crypto
import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The stored record of an issued token.
struct AccessToken: Codable, Sendable, Hashable {
    /// The name by which it's listed and revoked. It's no secret.
    var id: String
    /// The asset that it opens; nil for a playback token, which opens every path that players read.
    var asset: AssetID?
    /// The user's label.
    var label: String?
    /// When it was issued; nil for the standing token.
    var created: Date?
    /// When it stops working; nil is never.
    var expires: Date?
    /// When a request held it last; nil if none has.
    var lastUsed: Date?
    /// Its hash.
    var digest: TokenDigest

    /// Whether it has stopped working by itself.
    func hasExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }
}

/// The SHA-256 hash of a token, by which a token is found without being stored.
struct TokenDigest: Sendable, Hashable, RawRepresentable, Codable {
    /// 64 hexadecimal digits.
    let rawValue: String

    init?(rawValue: String) {
        let isHexadecimal = rawValue.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard rawValue.utf8.count == 64, isHexadecimal else { return nil }
        self.rawValue = rawValue
    }

    init(of token: some StringProtocol) {
        var token = String(token)
        let digest = token.withUTF8 { bytes in
            var hash = SHA256()
            hash.update(bufferPointer: UnsafeRawBufferPointer(bytes))
            return hash.finalize()
        }
        // Every request with a token in its path computes one, so it's written without intermediate strings.
        rawValue = String(unsafeUninitializedCapacity: 64) { buffer in
            for (index, byte) in digest.enumerated() {
                buffer[2 * index] = Self.digit(byte >> 4)
                buffer[2 * index + 1] = Self.digit(byte & 0xF)
            }
            return 64
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    /// The digits.
    var text: String { rawValue }

    /// Whether both are of the same token. The time doesn't depend on where they differ.
    func matches(_ other: TokenDigest) -> Bool { rawValue.isEqualInConstantTime(to: other.rawValue) }
}

/// The tokens of a cache, as its token file has them.
struct IssuedTokens: Codable, Sendable {
    /// The version of the file's format.
    static let version = 1

    private(set) var version = IssuedTokens.version
    /// The secret that signs the play URLs of tokens that are limited to one asset.
    private(set) var signingSecret: Data
    /// How many standing playback tokens were revoked.
    var revocations = 0
    /// When a request held the standing token last, since the process began.
    var standingLastUsed: Date?
    /// All but the standing one, in the order in which they were issued.
    var tokens: [AccessToken] = []
    /// Whether a token was used since the file was written.
    var hasNewUses = false

    private enum CodingKeys: CodingKey {
        case version, signingSecret, revocations, tokens
    }

    /// No tokens, and a new secret.
    init() {
        signingSecret = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
    }
}

/// The file of a cache's tokens: `tokens.json` in its folder `settings`, readable by its owner alone.
struct TokenFile: Sendable {
    static let name = "tokens.json"

    private let folder: SideFolder
    /// Whether the folder can be written. Where it can't, changes end with the process.
    private let isWritable: Bool

    init(of store: CacheStore) {
        folder = store.sideFolder("settings")
        isWritable = store.keepsBytes
    }

    /// Returns the tokens, or nil if none were ever written.
    ///
    /// - Throws: `CacheError` with `storage` for a file that can't be read or is damaged: no token of it is valid then.
    func load() async throws -> IssuedTokens? {
        guard let bytes = try await folder.contents(of: Self.name) else { return nil }
        let issued: IssuedTokens
        do {
            issued = try APICoding.makeDecoder().decode(IssuedTokens.self, from: Data(bytes))
        } catch {
            throw CacheError(
                .storage,
                "the token file settings/\(Self.name) in the cache folder is damaged; remove it, which revokes every token"
            )
        }
        guard issued.version == IssuedTokens.version, issued.signingSecret.count == 32 else {
            throw CacheError(
                .storage,
                "the token file settings/\(Self.name) in the cache folder has the version \(issued.version), which this "
                    + "program doesn't read; use a newer program, or remove the file, which revokes every token")
        }
        return issued
    }

    /// Replaces the file. Returns when that is durable.
    ///
    /// - Throws: `CacheError` with `storage`.
    func write(_ issued: IssuedTokens) async throws {
        guard isWritable else { return }
        try await folder.write(Array(try APICoding.makeEncoder().encode(issued)), to: Self.name)
    }
}

/// Returns bytes in base64url without padding (RFC 4648 §5).
func base64URL(_ data: some DataProtocol) -> String {
    Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}

extension AccessKey {
    /// Returns the standing playback token of this key: a message authentication code, from which the key can't be found.
    ///
    /// - Parameter revocations: the number of its predecessors that were revoked.
    func standingToken(afterRevocations revocations: Int) -> String {
        base64URL(
            Data(
                HMAC<SHA256>.authenticationCode(
                    for: Data("standing playback token \(revocations)".utf8),
                    using: SymmetricKey(data: Data(value.utf8)))))
    }

    /// A name of 72 of its bits, for a key that is used for nothing else.
    var id: String { String(value.prefix(12)).replacing("_", with: "0").replacing("-", with: "1") }
}
