/// EXT-X-KEY and EXT-X-SESSION-KEY: how media is encrypted (RFC 8216bis, sections 4.4.4.4 and 4.4.6.5).
public struct EncryptionKey: AttributeTag {
    /// The attributes, in order, unknown ones among them.
    public var attributes: AttributeList

    /// A tag with attributes, complete or not.
    public init(attributes: AttributeList) {
        self.attributes = attributes
    }

    /// A key. With the method ``Method/none`` the other attributes have no place.
    public init(method: Method, uri: String? = nil, iv: HexadecimalSequence? = nil) {
        attributes = AttributeList()
        self.method = method
        self.uri = uri
        self.iv = iv
    }

    /// How media is encrypted.
    public struct Method: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The method as it is written.
        public var rawValue: String

        /// A method, of the RFC's or any other.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The method as it is written.
        public var description: String { rawValue }

        /// Nothing is encrypted.
        public static let none = Method(rawValue: "NONE")
        /// Whole segments, AES-128 in CBC mode.
        public static let aes128 = Method(rawValue: "AES-128")
        /// Samples, AES-128 in CBC mode.
        public static let sampleAES = Method(rawValue: "SAMPLE-AES")
        /// Samples, AES-128 in CTR mode.
        public static let sampleAESCTR = Method(rawValue: "SAMPLE-AES-CTR")
    }

    /// How media is encrypted.
    public var method: Method {
        get { Method(rawValue: attributes.text(.method) ?? "") }
        set { attributes.setUnquoted(newValue, for: .method) }
    }

    /// How the key is represented; `identity`, 16 bytes as they are, where the tag doesn't say.
    public var keyFormat: String {
        get { attributes.text(.keyFormat) ?? "identity" }
        set { attributes.setQuoted(newValue == "identity" ? nil : newValue, for: .keyFormat) }
    }

    /// The versions of the key format that the key complies with; 1 where the tag doesn't say.
    public var keyFormatVersions: [Int] {
        get { attributes.text(.keyFormatVersions)?.split(separator: "/").compactMap { Int($0) } ?? [1] }
        set {
            attributes.setQuoted(
                newValue == [1] ? nil : newValue.map(String.init).joined(separator: "/"), for: .keyFormatVersions)
        }
    }

    /// Where the key is; nil when nothing is encrypted.
    public var uri: String? {
        get { attributes.text(.uri) }
        set { attributes.setQuoted(newValue, for: .uri) }
    }

    /// The initialization vector: 16 bytes; see ``initializationVector(mediaSequence:)``.
    public var iv: HexadecimalSequence? {
        get { attributes.text(.iv).flatMap { HexadecimalSequence($0) } }
        set { attributes.setUnquoted(newValue, for: .iv) }
    }

    /// The vector to decrypt a segment with: the key's, or, where it has none, the media sequence number as a
    /// big-endian number of 16 bytes (section 5.2).
    ///
    /// - Returns: 16 bytes.
    public func initializationVector(mediaSequence: Int) -> [UInt8] {
        let bytes = iv?.bytes ?? withUnsafeBytes(of: UInt64(bitPattern: Int64(mediaSequence)).bigEndian) { Array($0) }
        return Array(repeating: 0, count: max(0, 16 - bytes.count)) + bytes.suffix(16)
    }

    static let rules: [AttributeRule] = [
        .required(.method, .enumerated(["NONE", "AES-128", "SAMPLE-AES", "SAMPLE-AES-CTR"])),
        .optional(.uri, .quoted),
        .optional(.iv, .hexadecimal),
        .optional(.keyFormat, .quoted),
        .optional(.keyFormatVersions, .quoted),
    ]
}
