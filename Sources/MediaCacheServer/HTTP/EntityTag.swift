import Foundation
import MediaLibrary

/// An entity tag (RFC 9110 §8.8.3).
struct EntityTag: Hashable {
    /// Whether the tag is weak. Equal weak tags mean equivalent content, not identical bytes.
    var isWeak: Bool
    /// The opaque tag, including its quotes.
    var opaque: Substring

    /// Parses a tag. Text without quotes, such as `*`, is taken as a strong tag.
    init(_ text: some StringProtocol) {
        let text = Substring(text)
        isWeak = text.hasPrefix("W/")
        opaque = isWeak ? text.dropFirst(2) : text
    }

    /// Creates the tag to send for a representation's tag: the tag itself if it is a valid ASCII entity tag of at most
    /// 256 bytes, otherwise a hash of it.
    ///
    /// Conditional requests are compared with this tag, since it is the only one that clients know.
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

    private static let longest = 256

    /// Creates a strong tag from a hash of bytes, which is the same in every process.
    init(of bytes: [UInt8]) {
        let hash = bytes.withUnsafeBytes { FNV1a.extend(FNV1a.initial, with: $0) }
        self.init("\"mc-\(String(hash, radix: 16))-\(bytes.count)\"")
    }

    var text: String { (isWeak ? "W/" : "") + opaque }

    /// Returns whether both tags are equal and strong (§8.8.3.2).
    func stronglyMatches(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// Returns whether both tags are equal, regardless of weakness (§8.8.3.2).
    func weaklyMatches(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// Parses a list of tags, as in `If-None-Match`. Commas inside quotes are part of a tag.
    static func list(_ text: String) -> [EntityTag] {
        var isQuoted = false
        let items = text.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
        let space = CharacterSet(charactersIn: " \t")
        return items.map { $0.trimmingCharacters(in: space) }.filter { !$0.isEmpty }.map { EntityTag($0) }
    }
}
