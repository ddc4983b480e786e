internal import MediaContainers

/// A codec that a multivariant playlist declares (CODECS, RFC 8216bis §4.4.6.2).
enum DeclaredCodec {
    private static let video = [
        "avc", "hvc", "hev", "dva", "dvh", "dav", "av01", "vp08", "vp09", "vvc", "vvi", "mp4v",
    ]
    private static let audio = ["mp4a", "ac-3", "ec-3", "ac-4", "opus", "flac", "alac"]

    /// Returns the kind of a codec (RFC 6381); nil if it's neither a video nor an audio codec.
    static func kind(of codec: String) -> MediaKind? {
        let name = codec.lowercased()
        if video.contains(where: name.hasPrefix) { return .video }
        return audio.contains(where: name.hasPrefix) ? .audio : nil
    }
}
