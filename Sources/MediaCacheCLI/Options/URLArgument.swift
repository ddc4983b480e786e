import MediaCache

/// URLs on the command line.
enum URLArgument {
    /// Reads `text`, trimmed of what comes along when a URL is pasted.
    ///
    /// - Throws: ``ArgumentTextError``, naming a scheme that isn't http or https.
    static func parse(_ text: String) throws -> ResourceURL {
        do {
            return try ResourceURL(text)
        } catch let error as CacheError {
            throw ArgumentTextError(error.message)
        }
    }

    /// The text of a URL, when it's one; with its user information, which a URL's own description leaves out.
    ///
    /// - Throws: as ``parse(_:)``.
    static func check(_ text: String) throws -> String {
        _ = try parse(text)
        return text
    }
}
