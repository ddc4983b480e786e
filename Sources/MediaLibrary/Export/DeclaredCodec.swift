internal import MediaContainers

/// A codec that a multivariant playlist declares (CODECS, RFC 8216bis §4.4.6.2).
enum DeclaredCodec {
    private static let video = [
        "avc", "hvc", "hev", "dva", "dvh", "dav", "av01", "vp08", "vp09", "vvc", "vvi", "mp4v",
    ]
    private static let audio = ["mp4a", "ac-3", "ec-3", "ac-4", "opus", "flac", "alac"]

    /// Returns whether a codec (RFC 6381) is one of video or of audio; nil for any other.
    static func kind(of codec: String) -> MediaKind? {
        let name = codec.lowercased()
        if video.contains(where: name.hasPrefix) { return .video }
        return audio.contains(where: name.hasPrefix) ? .audio : nil
    }
}
