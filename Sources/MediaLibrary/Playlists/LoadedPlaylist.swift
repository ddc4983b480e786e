public import HLS
public import MediaCache

/// A playlist as it was read from its origin or from what is kept.
public struct LoadedPlaylist: Sendable {
    /// The bytes as they came, inflated where they were compressed.
    public var bytes: [UInt8]
    /// What the response said.
    public var head: ResourceHead
    /// The URL that it was asked for by.
    public var url: ResourceURL
    /// Its kind; nil where no tag tells it.
    public var kind: PlaylistKind?

    /// Puts together what was read.
    public init(bytes: [UInt8], head: ResourceHead, url: ResourceURL, kind: PlaylistKind?) {
        self.bytes = bytes
        self.head = head
        self.url = url
        self.kind = kind
    }

    /// What relative references resolve against: the URL after redirects.
    public var base: ResourceURL { head.location ?? url }

    /// Whether it may be another one soon, so that it's never kept: a media playlist without EXT-X-ENDLIST
    /// (RFC 8216bis §4.4.3.4), or without a segment, as an encoder writes that has only begun.
    public var isLive: Bool { Self.isLive(bytes, kind: kind) }

    static func isLive(_ bytes: [UInt8], kind: PlaylistKind?) -> Bool {
        guard kind != .multivariant else { return false }
        return !contains(Array("#EXT-X-ENDLIST".utf8), atLineStartIn: bytes)
            || !contains(Array("#EXTINF".utf8), atLineStartIn: bytes)
    }

    /// Whether some line begins with `word`; blanks before it are passed over, as the parser does.
    private static func contains(_ word: [UInt8], atLineStartIn bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { buffer in
            // From the end: that is where it stands.
            var end = buffer.count - word.count
            while end >= 0 {
                if buffer[end] == word[0], buffer[end..<end + word.count].elementsEqual(word) {
                    var before = end - 1
                    while before >= 0, buffer[before] == UInt8(ascii: " ") || buffer[before] == UInt8(ascii: "\t") {
                        before -= 1
                    }
                    if before < 0 || buffer[before] == UInt8(ascii: "\n") || buffer[before] == UInt8(ascii: "\r") {
                        return true
                    }
                }
                end -= 1
            }
            return false
        }
    }
}
