import MediaCache
import MediaCacheAPI

/// The media type sent with a representation, restricted to an allow-list and in canonical form.
///
/// Declared types are untrusted, and decide whether scripts run when a browser opens a response as a page. Browsers
/// parse some values differently, so the sent value is composed of known parts.
struct SentMediaType: Sendable, Hashable {
    /// The value of the `Content-Type` field.
    let text: String
    /// Whether the response has `Content-Security-Policy: sandbox`. It is omitted for audio, video, raster images and
    /// playlists, from which browsers run no scripts: a sandbox prevents Chromium from playing a video that is opened
    /// as a page.
    let isSandboxed: Bool

    /// The type sent for every type outside the allow-list.
    static let unknown = SentMediaType(text: "application/octet-stream", isSandboxed: true)

    private init(text: String, isSandboxed: Bool) {
        self.text = text
        self.isSandboxed = isSandboxed
    }

    /// Creates the type sent for a declared type: ``unknown`` unless the declared value is a single type of the
    /// allow-list.
    init(_ declared: String) {
        if Self.inert.contains(declared) {
            self.init(text: declared, isSandboxed: false)
            return
        }
        guard let type = MediaType.parse(declared) else {
            self = .unknown
            return
        }
        let isInert = Self.inert.contains(type.essence)
        guard isInert || Self.sandboxed.contains(type.essence) else {
            self = .unknown
            return
        }
        let isText = !isInert || MediaType.isPlaylist(type.essence)
        let parameter = isText ? Self.charset(type.parameters["charset"]) : Self.codecs(type.parameters["codecs"])
        self.init(text: type.essence + (parameter ?? ""), isSandboxed: !isInert)
    }

    private static let inert: Set<String> = playlists.union(video).union(audio).union(images)

    private static let playlists: Set<String> = [
        "application/vnd.apple.mpegurl", "application/x-mpegurl", "application/mpegurl", "audio/mpegurl",
        "audio/x-mpegurl", "video/mpegurl", "video/x-mpegurl",
    ]

    private static let video: Set<String> = [
        "application/mp4", "application/mxf", "application/ogg", "video/3gpp", "video/3gpp2", "video/av1",
        "video/divx", "video/h264", "video/h265", "video/iso.segment", "video/m4v", "video/matroska", "video/mp2p",
        "video/mp2t", "video/mp4", "video/mpeg", "video/mpegts", "video/msvideo", "video/ogg", "video/quicktime",
        "video/vc1", "video/vp8", "video/vp9", "video/webm", "video/x-f4v", "video/x-flv", "video/x-m4v",
        "video/x-matroska", "video/x-mpeg", "video/x-ms-asf", "video/x-ms-wmv", "video/x-msvideo",
    ]

    private static let audio: Set<String> = [
        "audio/3gpp", "audio/3gpp2", "audio/aac", "audio/aacp", "audio/ac3", "audio/ac4", "audio/aiff", "audio/amr",
        "audio/amr-wb", "audio/basic", "audio/eac3", "audio/flac", "audio/m4a", "audio/matroska", "audio/midi",
        "audio/mp3", "audio/mp4", "audio/mp4a-latm", "audio/mpeg", "audio/ogg", "audio/opus", "audio/vnd.dts",
        "audio/vnd.dts.hd", "audio/vnd.wave", "audio/vorbis", "audio/wav", "audio/wave", "audio/webm", "audio/x-aac",
        "audio/x-ac3", "audio/x-aiff", "audio/x-caf", "audio/x-flac", "audio/x-hx-aac-adts", "audio/x-m4a",
        "audio/x-m4b", "audio/x-matroska", "audio/x-mp3", "audio/x-mpeg", "audio/x-ms-wma", "audio/x-wav",
    ]

    /// Raster images. SVG is excluded because it may contain scripts.
    private static let images: Set<String> = [
        "image/apng", "image/avif", "image/bmp", "image/gif", "image/heic", "image/heif", "image/jpeg", "image/jpg",
        "image/jxl", "image/png", "image/tiff", "image/vnd.microsoft.icon", "image/webp", "image/x-icon",
        "image/x-ms-bmp",
    ]

    /// Subtitles, and JSON documents that playlists reference.
    private static let sandboxed: Set<String> = ["text/vtt", "application/x-subrip", "application/json"]

    /// Returns the `codecs` parameter (RFC 6381 §3); nil unless each codec is a plain name.
    private static func codecs(_ value: String?) -> String? {
        guard let value, value.utf8.count <= 256 else { return nil }
        let names = value.split(separator: ",", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
        guard names.allSatisfy({ isPlain($0, maximumBytes: 64) }) else { return nil }
        return "; codecs=\"\(names.joined(separator: ","))\""
    }

    private static func charset(_ value: String?) -> String? {
        guard let value, isPlain(value, maximumBytes: 40) else { return nil }
        return "; charset=\(value.lowercased())"
    }

    /// Returns whether a name consists of ASCII letters, digits, and punctuation without syntactic meaning.
    private static func isPlain(_ name: some StringProtocol, maximumBytes: Int) -> Bool {
        (1...maximumBytes).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isNameByte || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "+") }
    }
}
