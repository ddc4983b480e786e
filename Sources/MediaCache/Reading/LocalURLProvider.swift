/// A provider of local URLs through which players read from a store, such as a local server.
public protocol LocalURLProvider: Sendable {
    /// Returns the local URL of a file, or of a playlist and everything it references.
    ///
    /// - Throws: The error that prevents the server from running.
    func localURL(for url: ResourceURL) async throws -> LocalURL
}

/// A URL that is valid as long as this object exists.
public final class LocalURL: Sendable {
    /// The URL.
    public let text: String
    private let release: @Sendable () -> Void

    /// Creates a URL.
    ///
    /// - Parameters:
    ///   - text: The URL.
    ///   - release: Called once, when the object is deallocated.
    public init(_ text: String, release: @escaping @Sendable () -> Void) {
        self.text = text
        self.release = release
    }

    deinit { release() }
}
