/// What keys have to be beyond their attributes' types (RFC 8216bis, section 4.4.4.4).
enum KeyRules {
    /// The most keys in force at once: there are a handful of key formats, and each segment's set is looked through.
    static let limit = 64

    static func check(_ key: EncryptionKey, _ tag: PlaylistTag, _ reader: inout TagReader) throws(PlaylistError) {
        if key.method == .none {
            if key.attributes.attributes.count > 1 {
                try reader.report(.error, tag, "none", "\(tag.rawValue): METHOD=NONE stands with other attributes.")
            }
            return
        }
        if key.uri == nil { try reader.report(.error, tag, "uri", "\(tag.rawValue) has no URI.") }
        if let iv = key.iv, iv.bytes.count != 16 {
            try reader.report(.error, tag, "iv", "\(tag.rawValue): the IV isn't 128 bits long.")
        }
    }
}

extension [EncryptionKey] {
    /// The keys in force after an EXT-X-KEY tag: it replaces the one of its key format; NONE replaces all (RFC 8216bis,
    /// section 4.4.4.4).
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
