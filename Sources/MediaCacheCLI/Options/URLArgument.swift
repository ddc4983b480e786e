import MediaCache

/// The parsing of URLs.
enum URLArgument {
    /// Parses a URL. White space and quotes left over from pasting are removed.
    ///
    /// - Throws: ``ArgumentTextError`` for a scheme other than http and https.
    static func parse(_ text: String) throws -> ResourceURL {
        do {
            return try ResourceURL(text)
        } catch let error as CacheError {
            throw ArgumentTextError(error.message)
        }
    }

    /// Checks a URL and returns its text. Unlike the description of `ResourceURL`, it includes the user information.
    ///
    /// - Throws: As ``parse(_:)``.
    static func check(_ text: String) throws -> String {
        _ = try parse(text)
        return text
    }
}
