public import MediaCache

/// The URL schemes `mediacache-http` and `mediacache-https`. The system can't load their URLs, so a player requests the
/// resource from the app.
///
/// `https://host/film.mp4` becomes `mediacache-https://host/film.mp4`. The conversion is reversible, but omits user
/// information.
public enum CachingScheme {
    private static let prefix = "mediacache-"

    /// Returns the URL under which a player requests a resource.
    ///
    /// - Parameter url: The URL of the resource. User information is omitted from the returned URL.
    public static func url(for url: ResourceURL) -> String { prefix + url.description }

    /// Returns the URL of the resource that a player requests.
    ///
    /// - Parameter text: A URL returned by ``url(for:)``. The case of its scheme and host is ignored.
    /// - Returns: The URL of the resource; nil for any other URL.
    public static func resource(of text: String) -> ResourceURL? {
        guard text.prefix(prefix.count).lowercased() == prefix else { return nil }
        return try? ResourceURL(String(text.dropFirst(prefix.count)))
    }
}
