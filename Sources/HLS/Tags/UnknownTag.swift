/// A tag that the RFC doesn't define, or that stands in a playlist of the wrong kind (RFC 8216bis, section 4.1: such
/// tags are ignored). It survives reading and writing.
public struct UnknownTag: Sendable, Hashable, CustomStringConvertible {
    /// The name without the number sign: `EXT-X-CONTENT-IDENTIFIER`.
    public let name: String
    /// What follows the colon; nil where there is none.
    public let value: String?
    /// The line that it was read from, counted from 1; 0 for one that wasn't read.
    public let line: Int

    /// A tag. Line ends, which can't stand in one, are dropped.
    public init(name: String, value: String? = nil, line: Int = 0) {
        self.name = name.removing { $0 == .lineFeed || $0 == .carriageReturn }
        self.value = value?.removing { $0 == .lineFeed || $0 == .carriageReturn }
        self.line = line
    }

    /// The value read as an attribute list.
    public var attributes: AttributeList {
        var text = value ?? ""
        return text.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            return AttributeList(bytes, 0..<bytes.count, substituting: nil)
        }
    }

    /// The tag as it is written.
    public var description: String { "#" + name + (value.map { ":" + $0 } ?? "") }

    /// Equal tags say the same, wherever they were read.
    public static func == (left: UnknownTag, right: UnknownTag) -> Bool {
        left.name == right.name && left.value == right.value
    }

    /// Feeds the name and the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(value)
    }
}
