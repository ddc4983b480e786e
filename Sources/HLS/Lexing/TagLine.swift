/// The place of a tag's name and value on its line.
struct TagLine {
    /// The name without the number sign.
    var name: Range<Int>
    /// What follows the colon, blanks trimmed; nil where there is no colon.
    var value: Range<Int>?
    /// Whether blanks stand around the colon.
    var hasBlanks = false

    /// The tag on a line that starts with `#EXT`; nil for comments and URIs (RFC 8216bis, section 4.1).
    init?(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        guard bytes.has("#EXT", at: range.lowerBound), range.count >= 4 else { return nil }
        let start = range.lowerBound + 1
        if let colon = bytes.first(.colon, from: start, to: range.upperBound) {
            name = bytes.trimmed(start, colon)
            let value = bytes.trimmed(colon + 1, range.upperBound)
            hasBlanks = name.upperBound != colon || value.lowerBound != colon + 1
            self.value = value
        } else {
            name = bytes.trimmed(start, range.upperBound)
            value = nil
        }
    }
}
