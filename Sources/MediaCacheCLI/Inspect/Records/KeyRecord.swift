import HLS

/// EXT-X-KEY or EXT-X-SESSION-KEY in JSON, as the tag says it: what it leaves to be assumed is null.
struct KeyRecord: Encodable, Sendable {
    /// NONE, AES-128, SAMPLE-AES, SAMPLE-AES-CTR, or another.
    var method: String
    /// Where the key is.
    @Nullable var uri: String?
    /// The initialization vector as `0x…`.
    @Nullable var iv: String?
    /// How the key is represented; `identity` where null.
    @Nullable var keyFormat: String?
    /// The versions of the key format, separated by slashes; 1 where null.
    @Nullable var keyFormatVersions: String?

    /// The record of a key.
    init(_ key: EncryptionKey) {
        method = key.method.rawValue
        uri = key.uri?.unlessEmpty
        iv = key.attributes.text("IV")
        keyFormat = key.attributes.text("KEYFORMAT")
        keyFormatVersions = key.attributes.text("KEYFORMATVERSIONS")
    }
}
