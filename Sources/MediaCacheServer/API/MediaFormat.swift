/// Containers by their short names.
enum MediaFormat {
    /// The short name for a media type, else the URL's extension, else `bin`.
    static func name(contentType: String, url: String) -> String {
        let type = contentType.prefix { $0 != ";" }.lowercased()
        if let name = names[type] { return name }
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let file = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return "bin" }
        let suffix = file[file.index(after: dot)...]
        guard (1...5).contains(suffix.utf8.count), suffix.allSatisfy({ $0.isLetter || $0.isNumber }) else {
            return "bin"
        }
        return suffix.lowercased()
    }

    private static let names = [
        "video/mp4": "mp4", "audio/mp4": "m4a", "audio/x-m4a": "m4a", "video/quicktime": "mov",
        "video/mp2t": "ts", "audio/mpeg": "mp3", "audio/aac": "aac", "audio/flac": "flac", "audio/ogg": "ogg",
        "video/webm": "webm", "audio/webm": "webm", "video/x-matroska": "mkv", "video/ogg": "ogv",
        "audio/wav": "wav", "audio/x-wav": "wav", "application/vnd.apple.mpegurl": "m3u8",
        "application/x-mpegurl": "m3u8", "audio/mpegurl": "m3u8", "audio/x-mpegurl": "m3u8", "text/vtt": "vtt",
        "image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp",
        "video/3gpp": "3gp", "application/json": "json",
    ]
}
