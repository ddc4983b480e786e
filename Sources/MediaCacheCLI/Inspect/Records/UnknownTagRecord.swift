import HLS

/// A tag outside RFC 8216bis in JSON.
struct UnknownTagRecord: Encodable, Sendable {
    /// The line, counted from 1.
    var line: Int
    /// The name, without the number sign.
    var tag: String
    /// What follows the colon.
    @Nullable var value: String?

    /// The record of a tag.
    init(_ tag: UnknownTag) {
        line = tag.line
        self.tag = tag.name
        value = tag.value
    }
}
