import MediaCache

/// The parsing of URLs.
enum URLArgument {
    /// Parses a URL, without white space and quotes from pasting.
    ///
    /// - Throws: ``ArgumentTextError`` for a scheme other than http and https.
    static func parse(_ text: String) throws -> ResourceURL {
        do {
            return try ResourceURL(text)
        } catch let error as CacheError {
            throw ArgumentTextError(error.message)
        }
    }

    /// Returns a valid URL's text with its user information, which the description of `ResourceURL` omits.
    ///
    /// - Throws: As ``parse(_:)``.
    static func check(_ text: String) throws -> String {
        _ = try parse(text)
        return text
    }
}
