import MediaCache

/// The parsing of URLs.
enum URLArgument {
    /// Parses an http or https URL. Leading and trailing white space, control and format characters are ignored.
    static func parse(_ text: String) throws -> ResourceURL {
        do {
            return try ResourceURL(text)
        } catch let error as CacheError {
            throw ArgumentTextError(error.message)
        }
    }

    /// Checks a URL and returns its text. Unlike the description of `ResourceURL`, it includes the user information.
    static func check(_ text: String) throws -> String {
        _ = try parse(text)
        return text
    }
}
