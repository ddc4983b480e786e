import MediaLibrary

/// An entity tag (RFC 9110 §8.8.3).
struct EntityTag: Hashable {
    /// Whether it only promises equal meaning, not equal bytes.
    var isWeak: Bool
    /// What stands between the quotes, quotes included.
    var opaque: Substring

    /// Reads one tag; text without quotes is taken as a strong tag, since some clients leave them out.
    init(_ text: some StringProtocol) {
        let text = Substring(text)
        isWeak = text.hasPrefix("W/")
        opaque = isWeak ? text.dropFirst(2) : text
    }

    /// The tag that responses have for the one of a representation: the same if it follows the grammar in ASCII and isn't
    /// longer than 256 bytes, otherwise one of the server's own, which is equal for equal tags.
    ///
    /// Conditions of requests are compared with this tag, since it's the one that clients know.
    init(sending text: String) {
        let tag = EntityTag(text)
        let opaque = tag.opaque.utf8
        let isQuoted = opaque.count >= 2 && opaque.first == UInt8(ascii: "\"") && opaque.last == UInt8(ascii: "\"")
        let isPlain = opaque.dropFirst().dropLast().allSatisfy {
            (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"")
        }
        if isQuoted, isPlain, opaque.count <= Self.longest {
            self = tag
        } else {
            let hash = Array(text.utf8).withUnsafeBytes { FNV1a.extend(FNV1a.initial, with: $0) }
            self.init("\(tag.isWeak ? "W/" : "")\"mc-tag-\(String(hash, radix: 16))-\(text.utf8.count)\"")
        }
    }

    /// The most bytes of a tag of an origin that is sent.
    private static let longest = 256

    /// The strong tag of bytes, the same after a restart too.
    init(of bytes: [UInt8]) {
        let hash = bytes.withUnsafeBytes { FNV1a.extend(FNV1a.initial, with: $0) }
        self.init("\"mc-\(String(hash, radix: 16))-\(bytes.count)\"")
    }

    /// The tag as a field's value.
    var text: String { (isWeak ? "W/" : "") + opaque }

    /// Equal, and neither weak (§8.8.3.2).
    func stronglyMatches(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Equal but for weakness (§8.8.3.2).
    func weaklyMatches(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    /// The tags of a list as in `If-None-Match`. A comma may stand inside a tag's quotes.
    static func list(_ text: String) -> [EntityTag] {
        var tags: [EntityTag] = []
        var start = text.startIndex
        var quoted = false
        var index = text.startIndex
        func append(upTo end: String.Index) {
            var item = text[start..<end]
            while let first = item.first, first == " " || first == "\t" { item = item.dropFirst() }
            while let last = item.last, last == " " || last == "\t" { item = item.dropLast() }
            if !item.isEmpty { tags.append(EntityTag(item)) }
        }
        while index < text.endIndex {
            if text[index] == "\"" { quoted.toggle() }
            if text[index] == ",", !quoted {
                append(upTo: index)
                start = text.index(after: index)
            }
            index = text.index(after: index)
        }
        append(upTo: text.endIndex)
        return tags
    }
}
