import Foundation

/// The ways that a stream's media lie at its origin.
enum StreamKind: String, CaseIterable {
    /// MPEG-TS, a file for each segment.
    case transportStream
    /// The same, every URI of the playlist being absolute.
    case absolute
    /// MP4 with a media initialization section.
    case fragmentedMP4
    /// AES-128, the key beside the playlist.
    case encrypted
    /// AES-128, the key by an absolute URI.
    case encryptedAbsolute
    /// A multivariant playlist with its sound as a rendition.
    case separateAudio
    /// Byte ranges of one file.
    case byteRanges

    /// What its files' names begin with.
    var name: String { rawValue.lowercased() }

    /// The playlist's path at an origin that serves ``StreamFixtures``.
    ///
    /// Absolute URIs name the origin, whose port differs from one to the next: such a playlist is written for it.
    func playlist(at origin: NginxOrigin) throws -> String {
        let made = "\(StreamFixtures.folder)/\(name).m3u8"
        var text = try String(contentsOfFile: made, encoding: .utf8)
        switch self {
        case .absolute: text.replace("\n\(name)", with: "\n\(origin.url(name))")
        case .encryptedAbsolute: text.replace("URI=\"", with: "URI=\"\(origin.url(""))")
        default: return "\(name).m3u8"
        }
        let path = "\(name)-\(origin.port).m3u8"
        try text.write(toFile: "\(StreamFixtures.folder)/\(path)", atomically: true, encoding: .utf8)
        return path
    }
}
