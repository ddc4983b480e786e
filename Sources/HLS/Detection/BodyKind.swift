/// What a body is, judged by its first bytes and tags.
public enum BodyKind: Sendable, Hashable {
    /// A playlist; its kind is nil where no tag tells it, as in a playlist that is a header alone.
    case playlist(PlaylistKind?)
    /// Anything else.
    case foreign(ForeignContent)

    /// Only this many bytes are looked at: a playlist shows its kind in its first lines.
    static let inspectedLength = 64 * 1024

    /// Judges a body, or the beginning of one.
    public init(of bytes: some Sequence<UInt8>) {
        var head = BodyKind.front(of: bytes)
        if head.withUnsafeBytes({ ForeignContent($0) }) == .empty {
            // What stands after very many blank lines is the body all the same.
            let rest = bytes.drop { $0.isBlank || $0 == .lineFeed || $0 == .carriageReturn || $0 >= 0xBB }
            head = BodyKind.front(of: rest)
        }
        self = head.withUnsafeBytes { BodyKind(head: $0) }
        if case .foreign = self, let text = UTF16Text.utf8(head),
            case .playlist(let kind) = text.withUnsafeBytes({ BodyKind(head: $0) })
        {
            self = .playlist(kind)
        }
    }

    /// The bytes that are looked at. One by one they would take longer to come than to be judged.
    private static func front(of bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.withContiguousStorageIfAvailable { Array($0.prefix(inspectedLength)) }
            ?? Array(bytes.prefix(inspectedLength))
    }

    init(head bytes: UnsafeRawBufferPointer) {
        if BodyKind.startsLikePlaylist(bytes) {
            self = .playlist(PlaylistKind.detect(bytes))
        } else {
            self = .foreign(ForeignContent(bytes))
        }
    }

    /// Whether `#EXTM3U` stands first, or, where a server forgot it, some line among the first is a tag.
    static func startsLikePlaylist(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if ForeignContent.signature(bytes) != nil { return false }
        var lines = LineScanner(bytes)
        var seen = 0
        while let line = lines.next(), seen < 20 {
            let range = bytes.trimmed(line.start, line.end)
            guard let first = range.first else { continue }
            if bytes.has("#EXT", at: first) { return true }
            if bytes[first] == .lessThan || bytes[first] == .openBrace { return false }
            seen += 1
        }
        return false
    }
}
