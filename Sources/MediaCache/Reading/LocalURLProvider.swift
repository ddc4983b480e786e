/// Gives URLs of this machine under which a player gets what a store has and fetches: what a local server does.
public protocol LocalURLProvider: Sendable {
    /// The local URL of a resource: a file, or a playlist with all that it names.
    ///
    /// - Throws: what keeps the server from running.
    func localURL(for url: ResourceURL) async throws -> LocalURL
}

/// A URL that works while this is kept.
public final class LocalURL: Sendable {
    /// The URL.
    public let text: String
    private let release: @Sendable () -> Void

    /// A URL.
    ///
    /// - Parameters:
    ///   - text: the URL.
    ///   - release: called once, when nobody keeps it any more.
    public init(_ text: String, release: @escaping @Sendable () -> Void) {
        self.text = text
        self.release = release
    }

    deinit { release() }
}
