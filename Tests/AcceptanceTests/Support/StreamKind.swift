import Foundation

/// The forms of a stream's media at its origin.
enum StreamKind: String, CaseIterable {
    /// MPEG-TS with a file for each segment.
    case transportStream
    /// MPEG-TS with absolute URIs.
    case absolute
    /// MP4 with a media initialization section.
    case fragmentedMP4
    /// AES-128 with a relative URI of the key.
    case encrypted
    /// AES-128 with an absolute URI of the key.
    case encryptedAbsolute
    /// A multivariant playlist with an audio rendition.
    case separateAudio
    /// Byte ranges of one file.
    case byteRanges

    /// The prefix of the names of its files.
    var name: String { rawValue.lowercased() }

    /// Returns the path of the playlist at an origin that serves ``StreamFixtures``.
    ///
    /// A playlist with absolute URIs is written for the origin, because the port varies.
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
