internal import Foundation
public import HLS
internal import MediaContainers

/// The URL and parameters of a key that decrypts a media segment or media initialization section.
public struct SegmentKey: Sendable, Hashable {
    /// The cipher.
    public var cipher: SegmentCipher
    /// The URL of the key.
    public var url: String
    /// The initialization vector, 16 bytes. In counter mode, it's the initial counter block.
    public var initializationVector: [UInt8]

    /// Creates a key.
    public init(cipher: SegmentCipher, url: String, initializationVector: [UInt8]) {
        self.cipher = cipher
        self.url = url
        self.initializationVector = initializationVector
    }

    /// Returns the first usable key of a segment; nil if the segment isn't encrypted.
    ///
    /// - Parameters:
    ///   - keys: The key tags that apply to the segment. They describe the same key in different formats.
    ///   - mediaSequence: The segment's media sequence number, which is the default initialization vector (RFC 8216bis
    ///     §5.2).
    /// - Throws: `ContainerError` with `encrypted` if no key is usable, because of sample encryption, a DRM system or
    ///   an unknown method.
    static func usable(of keys: [EncryptionKey], mediaSequence: Int) throws(ContainerError) -> SegmentKey? {
        guard let first = keys.first, !keys.contains(where: { $0.method == .none }) else { return nil }
        for key in keys where key.keyFormat == "identity" {
            guard let cipher = SegmentCipher(key.method), let url = key.uri, !url.isEmpty else { continue }
            return SegmentKey(
                cipher: cipher, url: url, initializationVector: key.initializationVector(mediaSequence: mediaSequence))
        }
        let format = first.keyFormat == "identity" ? "" : " with keys in the format “\(first.keyFormat)”"
        throw ContainerError(
            .encrypted, "encrypted with \(first.method)\(format)",
            advice: "Only whole segments encrypted with AES-128, AES-256 or AES-256-CTR can be decrypted; DRM can't")
    }
}

/// The ciphers of whole media segments (RFC 8216bis §4.4.4.4).
public enum SegmentCipher: String, Sendable, Hashable, CaseIterable {
    /// AES with a key of 128 bits, in CBC mode with padding (PKCS #7).
    case aes128 = "AES-128"
    /// AES with a key of 256 bits, in CBC mode with padding.
    case aes256 = "AES-256"
    /// AES with a key of 256 bits, in counter mode without padding.
    case aes256Counter = "AES-256-CTR"

    /// Creates the cipher of a method; nil for methods that don't encrypt whole segments.
    public init?(_ method: EncryptionKey.Method) { self.init(rawValue: method.rawValue) }

    /// The length of the key in bytes.
    public var keyLength: Int { self == .aes128 ? 16 : 32 }

    /// The length of a block, and of the initialization vector, in bytes.
    public static let blockLength = 16
}

/// A URL that contains its data (RFC 2397). Some playlists use such URLs for keys.
enum DataURL {
    /// Returns the bytes of `data:[<media type>][;base64],<data>`; nil for another scheme or invalid data.
    static func bytes(of url: String) -> [UInt8]? {
        guard url.prefix(5).lowercased() == "data:", let comma = url.firstIndex(of: ",") else { return nil }
        let data = url[url.index(after: comma)...]
        guard let plain = percentDecoded(data) else { return nil }
        guard url[..<comma].lowercased().hasSuffix(";base64") else { return plain }
        return Data(base64Encoded: Data(plain)).map { Array($0) }
    }

    private static func percentDecoded(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let digits = String(rest.prefix(2)), let value = UInt8(digits, radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
