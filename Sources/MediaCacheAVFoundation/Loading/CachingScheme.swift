public import MediaCache

/// The scheme of URLs that the system doesn't load itself: a player asks the app for what they name.
///
/// `https://host/film.mp4` becomes `mediacache-https://host/film.mp4`, so that anyone who has one can tell the other.
public enum CachingScheme {
    private static let prefix = "mediacache-"

    /// The URL under which a player asks for a resource.
    ///
    /// - Parameter url: where the resource is. A user and a password in it aren't part of what is returned.
    public static func url(for url: ResourceURL) -> String { prefix + url.description }

    /// Where the resource is that a player asks for.
    ///
    /// - Parameter text: what ``url(for:)`` gave, in letters of either case up to the host.
    /// - Returns: nil for any other URL.
    public static func resource(of text: String) -> ResourceURL? {
        guard text.prefix(prefix.count).lowercased() == prefix else { return nil }
        return try? ResourceURL(String(text.dropFirst(prefix.count)))
    }
}
