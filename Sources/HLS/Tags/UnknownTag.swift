/// A tag that the RFC doesn't define, or a tag in a playlist of the wrong kind. It survives parsing and writing.
public struct UnknownTag: Sendable, Hashable, CustomStringConvertible {
    /// The name without the number sign: `EXT-X-CONTENT-IDENTIFIER`.
    public let name: String
    /// The text after the colon; nil for a tag without a colon.
    public let value: String?
    /// The line of the tag, counted from 1; 0 for a tag that wasn't parsed.
    public let line: Int

    /// Creates a tag. Line ends are removed from its name and value.
    public init(name: String, value: String? = nil, line: Int = 0) {
        self.name = name.removing { $0 == .lineFeed || $0 == .carriageReturn }
        self.value = value?.removing { $0 == .lineFeed || $0 == .carriageReturn }
        self.line = line
    }

    /// The value, parsed as an attribute list.
    public var attributes: AttributeList {
        (value ?? "").withBytes { AttributeList($0, 0..<$0.count, substituting: nil) }
    }

    /// The tag in playlist syntax.
    public var description: String { "#" + name + (value.map { ":" + $0 } ?? "") }

    /// Whether the tag is removed from local playlists.
    package var isRemovedLocally: Bool { LocalRemoval.ifReferring.applies(to: value) }

    /// Compares names and values.
    public static func == (left: UnknownTag, right: UnknownTag) -> Bool {
        left.name == right.name && left.value == right.value
    }

    /// Hashes the name and the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(value)
    }
}

extension MediaSegment {
    /// The unknown tags that precede the segment.
    public var unknownTags: [UnknownTag] {
        tags.compactMap { if case .unknown(let tag) = $0 { tag } else { nil } }
    }
}
