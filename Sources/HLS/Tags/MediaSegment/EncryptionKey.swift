extension PlaylistTag {
    /// EXT-X-KEY (RFC 8216bis §4.4.4.4): the encryption of the segments that follow.
    public static let key = PlaylistTag(
        "EXT-X-KEY", section: "4.4.4.4",
        place: .mediaSegment { (parser, item, reader) throws(PlaylistError) in
            let key = EncryptionKey(attributes: try reader.attributes(item))
            try key.check(as: item.tag, &reader)
            let keys = parser.keys.applying(key)
            guard keys.count <= EncryptionKey.limit else {
                try reader.report(
                    .error, item.tag, "count", "More than \(EncryptionKey.limit) keys apply to a segment.")
                return
            }
            parser.keys = keys
            parser.updateConditions()
        },
        attributes: EncryptionKey.rules, uris: [.uri: .key],
        segmentKeys: [
            RecordKey("keys") { resolved, tag, _ in
                .records(resolved.segment.keys.map { TagRecord(tag, $0.attributes) })
            }
        ],
        requiredVersion: { EncryptionKey(attributes: $0).requiredVersion })
}

/// An encryption method and key, in EXT-X-KEY and EXT-X-SESSION-KEY (RFC 8216bis §4.4.4.4 and §4.4.6.5).
public struct EncryptionKey: AttributeTag {
    /// The attributes in the order in which they were written, including unknown attributes.
    public var attributes = AttributeList()

    /// Creates a tag from attributes. Required attributes may be missing.
    public init(attributes: AttributeList) { self.attributes = attributes }

    /// Creates a key. The method ``Method/none`` allows no other attribute.
    public init(method: Method, uri: String? = nil, iv: HexadecimalSequence? = nil) {
        self.method = method
        self.uri = uri
        self.iv = iv
    }

    /// An encryption method.
    public struct Method: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The name as written in playlists.
        public var rawValue: String

        /// Creates a method from its name, including one that the RFC doesn't define.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The name as written in playlists.
        public var description: String { rawValue }

        /// No encryption.
        public static let none = Method(rawValue: "NONE")
        /// Whole segments encrypted with AES-128 in CBC mode.
        public static let aes128 = Method(rawValue: "AES-128")
        /// Samples encrypted with AES-128 in CBC mode.
        public static let sampleAES = Method(rawValue: "SAMPLE-AES")
        /// Samples encrypted with AES-128 in CTR mode.
        public static let sampleAESCTR = Method(rawValue: "SAMPLE-AES-CTR")

        /// Whether the RFC defines the method. Clients must not attempt to decrypt segments with a method that they
        /// don't recognize (RFC 8216bis §4.4.4.4).
        package var isDefined: Bool { Self.defined.contains(self) }

        private static let defined: Set<Method> = [.none, .aes128, .sampleAES, .sampleAESCTR]
    }

    /// The encryption method. Its raw value is empty if the tag has no METHOD attribute.
    public var method: Method {
        get { Method(rawValue: attributes.text(.method) ?? "") }
        set { attributes.setUnquoted(newValue, for: .method) }
    }

    /// The format of the key. The default is `identity`, a key of 16 bytes.
    public var keyFormat: String {
        get { attributes.text(.keyFormat) ?? "identity" }
        set { attributes.setQuoted(newValue == "identity" ? nil : newValue, for: .keyFormat) }
    }

    /// The versions of the key format that the key complies with. The default is version 1.
    public var keyFormatVersions: [Int] {
        get { attributes.text(.keyFormatVersions)?.split(separator: "/").compactMap { Int($0) } ?? [1] }
        set {
            attributes.setQuoted(
                newValue == [1] ? nil : newValue.map(String.init).joined(separator: "/"), for: .keyFormatVersions)
        }
    }

    /// The URI of the key; nil if the tag has none.
    public var uri: String? {
        get { attributes.text(.uri) }
        set { attributes.setQuoted(newValue, for: .uri) }
    }

    /// The declared initialization vector, 16 bytes in a valid tag; see ``initializationVector(mediaSequence:)``.
    public var iv: HexadecimalSequence? {
        get { attributes.text(.iv).flatMap { HexadecimalSequence($0) } }
        set { attributes.setUnquoted(newValue, for: .iv) }
    }

    /// Returns the initialization vector for a segment, 16 bytes: the declared one, otherwise the media sequence number
    /// in big-endian order (RFC 8216bis §5.2). A declared one is padded with leading zeros or cut to its last 16 bytes.
    public func initializationVector(mediaSequence: Int) -> [UInt8] {
        let bytes = iv?.bytes ?? withUnsafeBytes(of: UInt64(bitPattern: Int64(mediaSequence)).bigEndian) { Array($0) }
        return Array(repeating: 0, count: max(0, 16 - bytes.count)) + bytes.suffix(16)
    }

    static let rules: [AttributeRule] = [
        .required(.method, .anyEnumerated, absent: .string("")),
        .optional(.uri, .quoted), .optional(.iv, .hexadecimal), .optional(.keyFormat, .quoted),
        .optional(.keyFormatVersions, .quoted),
    ]

    /// The maximum number of keys that apply to a segment. Reading an EXT-X-KEY tag searches all of them.
    static let limit = 64

    var requiredVersion: Int {
        if method == .none { return 1 }
        if method != .aes128 || attributes[.keyFormat] != nil || attributes[.keyFormatVersions] != nil { return 5 }
        return attributes[.iv] != nil ? 2 : 1
    }

    /// Reports violations that the attribute types don't cover (RFC 8216bis §4.4.4.4).
    func check(as tag: PlaylistTag, _ reader: inout LineReader) throws(PlaylistError) {
        if method == .none {
            if attributes.attributes.count > 1 {
                try reader.report(.error, tag, "none", "\(tag) has METHOD=NONE and other attributes.")
            }
            return
        }
        if !method.rawValue.isEmpty, !method.isDefined {
            try reader.report(
                .warning, tag, "method",
                "\(tag): the RFC doesn't define METHOD=\(method); most clients can't decrypt the segments.")
        }
        if uri == nil { try reader.report(.error, tag, "uri", "\(tag) has no URI.") }
        if let iv, iv.bytes.count != 16 { try reader.report(.error, tag, "iv", "\(tag): IV isn't 128 bits long.") }
    }
}

extension [EncryptionKey] {
    /// Returns the keys that apply after an EXT-X-KEY tag. The new key replaces the key with the same key format; NONE
    /// replaces all keys (RFC 8216bis §4.4.4.4).
    func applying(_ key: EncryptionKey) -> [EncryptionKey] {
        if key.method == .none { return [key] }
        var keys = filter { $0.method != .none }
        if let index = keys.firstIndex(where: { $0.keyFormat == key.keyFormat }) {
            keys[index] = key
        } else {
            keys.append(key)
        }
        return keys
    }
}

extension LineWriter {
    /// Writes the EXT-X-KEY tags that turn one set of keys into another.
    mutating func keys(from old: [EncryptionKey], to new: [EncryptionKey]) {
        guard old != new else { return }
        var changed = new.filter { !old.contains($0) }
        if changed.reduce(old, { $0.applying($1) }) != new { changed = [EncryptionKey(method: .none)] + new }
        for key in changed { tag(.key, key.attributes) }
    }
}
