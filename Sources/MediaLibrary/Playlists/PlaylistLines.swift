/// Lines of a playlist that are looked through for tags, without a model of it.
struct PlaylistLines {
    private let bytes: [UInt8]

    /// The lines of a playlist.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether some line begins with `tag`; blanks before it are passed over, as the parser does.
    func contains(_ tag: StaticString) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            let tag = UnsafeBufferPointer(start: tag.utf8Start, count: tag.utf8CodeUnitCount)
            // From the end: that is where the tag that is looked for in the whole of a playlist stands.
            var start = bytes.count - tag.count
            while start >= 0 {
                if bytes[start] == UInt8(ascii: "#"), bytes[start..<start + tag.count].elementsEqual(tag),
                    Self.isLineStart(start, of: bytes)
                {
                    return true
                }
                start -= 1
            }
            return false
        }
    }

    private static func isLineStart(_ start: Int, of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let blanks = [UInt8(ascii: " "), UInt8(ascii: "\t")]
        guard let before = bytes[..<start].last(where: { !blanks.contains($0) }) else { return true }
        return before == UInt8(ascii: "\n") || before == UInt8(ascii: "\r")
    }
}
