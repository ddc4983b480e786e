public import HLS

/// How whole media segments are encrypted (RFC 8216bis, section 4.4.4.4).
public enum SegmentCipher: String, Sendable, Hashable, CaseIterable {
    /// AES with a key of 128 bits, in CBC mode with padding (PKCS #7).
    case aes128 = "AES-128"
    /// AES with a key of 256 bits, in CBC mode with padding.
    case aes256 = "AES-256"
    /// AES with a key of 256 bits, in counter mode without padding.
    case aes256Counter = "AES-256-CTR"

    /// The cipher of a method; nil where it encrypts nothing, or samples instead of segments.
    public init?(_ method: EncryptionKey.Method) {
        self.init(rawValue: method.rawValue)
    }

    /// The length of its key in bytes.
    public var keyLength: Int { self == .aes128 ? 16 : 32 }

    /// The length of a block, and of the initialization vector, in bytes.
    public static let blockLength = 16
}
