import HLS
internal import MediaContainers

/// Where the key of a media segment or of a media initialization section is, and how to use it.
public struct SegmentKey: Sendable, Hashable {
    /// The cipher.
    public var cipher: SegmentCipher
    /// Where the key is.
    public var url: String
    /// The initialization vector: 16 bytes. In counter mode, the first counter.
    public var initializationVector: [UInt8]

    /// Creates a key.
    public init(cipher: SegmentCipher, url: String, initializationVector: [UInt8]) {
        self.cipher = cipher
        self.url = url
        self.initializationVector = initializationVector
    }

    /// The key to use of those in force, or nil where nothing is encrypted.
    ///
    /// - Parameters:
    ///   - keys: the tags in force; several are the same key in several formats.
    ///   - mediaSequence: the segment's, which is its vector where the tag has none (section 5.2).
    /// - Throws: `ContainerError` with `encrypted` where none can be used: samples encrypted by themselves, and keys that
    ///   a DRM system holds.
    static func usable(of keys: [EncryptionKey], mediaSequence: Int) throws(ContainerError) -> SegmentKey? {
        guard let first = keys.first, !keys.contains(where: { $0.method == .none }) else { return nil }
        for key in keys where key.keyFormat == "identity" {
            guard let cipher = SegmentCipher(key.method), let url = key.uri, !url.isEmpty else { continue }
            return SegmentKey(
                cipher: cipher, url: url,
                initializationVector: key.initializationVector(mediaSequence: mediaSequence))
        }
        let format = first.keyFormat == "identity" ? "" : " with keys of “\(first.keyFormat)”"
        throw ContainerError(
            .encrypted, "encrypted by \(first.method)\(format)",
            advice: "Only whole segments by AES-128, AES-256 and AES-256-CTR can be decrypted; DRM can't")
    }
}
