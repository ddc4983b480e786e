import MediaCache

/// What a media type means to a browser that opens it as a page of its own.
enum MediaTypes {
    /// Whether it's a document that a browser would run as one. Such a thing is never what a player asked for.
    static func isDocument(_ contentType: String) -> Bool {
        let type = MediaType.essence(contentType) ?? ""
        return type == "text/html" || type == "application/xhtml+xml"
    }

    /// Whether it's audio, video, a raster image or a playlist, which no browser runs scripts from. All else is sent
    /// with a sandbox; media isn't, since that stops some players.
    static func isInert(_ contentType: String) -> Bool {
        let type = MediaType.essence(contentType) ?? ""
        if type.hasPrefix("audio/") || type.hasPrefix("video/") { return true }
        if type.hasPrefix("image/") { return type != "image/svg+xml" }
        return MediaType.isPlaylist(contentType)
    }
}
