/// The two kinds of playlists (RFC 8216bis, section 4.1).
public enum PlaylistKind: String, Sendable, Hashable, CaseIterable {
    /// A list of media segments.
    case media
    /// A list of variant streams and renditions.
    case multivariant

    /// The kind that the first decisive tag tells; nil where no tag tells it.
    ///
    /// EXTINF outranks tags such as EXT-X-SESSION-KEY, which some servers write into media playlists, and
    /// EXT-X-STREAM-INF outranks EXT-X-TARGETDURATION, for the same reason.
    static func detect(_ bytes: UnsafeRawBufferPointer) -> PlaylistKind? {
        var lines = LineScanner(bytes)
        var hint: PlaylistKind?
        while let line = lines.next() {
            let range = bytes.trimmed(line.start, line.end)
            guard let tagLine = TagLine(bytes, range), let tag = PlaylistTag(bytes, tagLine.name) else {
                if let first = range.first, bytes[first] != .numberSign { hint = hint ?? .media }
                continue
            }
            switch tag {
            case .segment, .part: return .media
            case .streamInformation, .iFrameStreamInformation, .media, .contentSteering: return .multivariant
            default:
                switch tag.scope {
                case .media: hint = hint ?? .media
                case .multivariant: hint = hint ?? .multivariant
                case .both: break
                }
            }
        }
        return hint
    }
}
