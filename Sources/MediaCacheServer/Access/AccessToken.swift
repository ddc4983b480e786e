import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The record of a token. The records of issued tokens are stored; those of the standing token and the library token
/// aren't.
struct AccessToken: Codable, Sendable, Hashable {
    /// The ID for listing and revoking the token. It isn't secret.
    var id: String
    /// The asset that the token gives access to; nil for a playback token, which opens every path that players read,
    /// and for the library token, which isn't stored.
    var asset: AssetID?
    var label: String?
    /// The time the token was issued; nil for the standing token and the library token.
    var created: Date?
    var expires: Date?
    var lastUsed: Date?
    var digest: TokenDigest

    var scope: TokenScope {
        if asset != nil { return .asset }
        return id == AccessControl.libraryID ? .library : .playback
    }

    func hasExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }
}

/// The SHA-256 hash of a token. The server finds a token by its hash, so it doesn't store the token itself.
struct TokenDigest: Sendable, Hashable, RawRepresentable, Codable {
    /// 64 hexadecimal digits in lower case.
    let rawValue: String

    init?(rawValue: String) {
        let isHexadecimal = rawValue.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard rawValue.utf8.count == 64, isHexadecimal else { return nil }
        self.rawValue = rawValue
    }

    init(of token: some StringProtocol) {
        var token = String(token)
        let digest = token.withUTF8 { SHA256.hash(UnsafeRawBufferPointer($0)) }
        // This runs for most requests with a token in their path, so it avoids intermediate strings.
        rawValue = String(unsafeUninitializedCapacity: 64) { buffer in
            for (index, byte) in digest.enumerated() {
                buffer[2 * index] = Self.digit(byte >> 4)
                buffer[2 * index + 1] = Self.digit(byte & 0xF)
            }
            return 64
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    /// Returns whether both digests are equal, in constant time.
    func matches(_ other: TokenDigest) -> Bool { rawValue.isEqualInConstantTime(to: other.rawValue) }
}

/// The tokens of a cache: the contents of its token file.
struct IssuedTokens: Codable, Sendable {
    static let version = 1

    private(set) var version = IssuedTokens.version
    /// The secret that signs the play URLs of asset tokens.
    private(set) var signingSecret: Data
    /// The number of times the standing playback token was revoked.
    var revocations = 0
    /// The time of the last request with the standing token, since the process started.
    var standingLastUsed: Date?
    /// The number of times the library token was revoked; nil, as in files of earlier versions, for none.
    var libraryRevocations: Int?
    /// The time of the last request with the library token, since the process started.
    var libraryLastUsed: Date?
    /// The tokens except the standing one, oldest first.
    var tokens: [AccessToken] = []
    /// Whether any of ``tokens`` was used since the times of last use were saved.
    var hasNewUses = false

    private enum CodingKeys: CodingKey {
        case version, signingSecret, revocations, libraryRevocations, tokens
    }

    init() {
        var generator = SystemRandomNumberGenerator()
        signingSecret = Data((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
}

/// The token file of a cache: `tokens.json` in its folder `settings`, readable only by its owner.
struct TokenFile: Sendable {
    static let name = "tokens.json"

    private let folder: SideFolder
    /// Whether the folder is writable. If it isn't, changes last until the process ends.
    private let isWritable: Bool

    init(of store: CacheStore) {
        folder = store.sideFolder("settings")
        isWritable = store.isWritable
    }

    /// Returns the tokens, or nil if the file doesn't exist.
    ///
    /// - Throws: `CacheError` with `storage` if the file can't be read, is damaged or has another version.
    func load() async throws -> IssuedTokens? {
        guard let bytes = try await folder.contents(of: Self.name) else { return nil }
        let damaged = CacheError(
            .storage,
            "the token file settings/\(Self.name) in the cache folder is damaged; remove it and run "
                + "`mediacache key roll`; both steps together revoke all tokens")
        let issued: IssuedTokens
        do {
            issued = try APICoding.makeDecoder().decode(IssuedTokens.self, from: Data(bytes))
        } catch {
            throw damaged
        }
        guard issued.version == IssuedTokens.version else {
            throw CacheError(
                .storage,
                "the token file settings/\(Self.name) in the cache folder has version \(issued.version), which this "
                    + "program can't read; use a newer program, or remove the file and run `mediacache key roll`; both "
                    + "steps together revoke all tokens")
        }
        guard issued.signingSecret.count == 32 else { throw damaged }
        return issued
    }

    /// Replaces the file. Returns when the new one is durable.
    func write(_ issued: IssuedTokens) async throws {
        guard isWritable else { return }
        try await folder.write(Array(try APICoding.makeEncoder().encode(issued)), to: Self.name)
    }
}

/// Returns bytes in base64url without padding (RFC 4648 §5).
func base64URL(_ data: some DataProtocol) -> String {
    Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}

/// Decodes base64url without padding (RFC 4648 §5); nil if the text is malformed.
func decodeBase64URL(_ text: some StringProtocol) -> Data? {
    let standard = String(text).replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4))
}

extension AccessKey {
    /// Returns the standing playback token of this key: a message authentication code, which doesn't reveal the key.
    func standingToken(afterRevocations revocations: Int) -> String {
        base64URL(SHA256.authenticationCode(of: "standing playback token \(revocations)", key: Array(value.utf8)))
    }

    /// Returns the library token of this key, which reveals neither the key nor the standing token.
    func libraryToken(afterRevocations revocations: Int) -> String {
        base64URL(SHA256.authenticationCode(of: "library token \(revocations)", key: Array(value.utf8)))
    }

    /// An ID of twelve letters and digits, taken from a key that isn't used for anything else.
    var id: String { String(value.prefix(12)).replacing("_", with: "0").replacing("-", with: "1") }
}
