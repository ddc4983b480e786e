public import MediaCache

/// The URL schemes `mediacache-http` and `mediacache-https`. The system can't load their URLs, so a player requests the
/// resource from the app.
///
/// `https://host/film.mp4` becomes `mediacache-https://host/film.mp4`.
public enum CachingScheme {
    private static let prefix = "mediacache-"

    /// Returns the URL under which a player requests the resource at `url`, without user information.
    public static func url(for url: ResourceURL) -> String { prefix + url.description }

    /// Returns the URL of the resource that a player requests under the URL `text`; nil if `text` isn't a result of
    /// ``url(for:)``. The case of the scheme and host is ignored.
    public static func resource(of text: String) -> ResourceURL? {
        guard text.prefix(prefix.count).lowercased() == prefix else { return nil }
        return try? ResourceURL(String(text.dropFirst(prefix.count)))
    }
}
