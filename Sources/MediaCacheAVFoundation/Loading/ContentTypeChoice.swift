import MediaCache

/// A name of a media type that the system translates to uniform type identifiers.
enum TypeName: Sendable, Hashable {
    /// A media type without parameters, such as `video/mp4` (RFC 9110 §8.3.1).
    case mediaType(String)
    /// A file name extension in lower case, such as `mp4`.
    case pathExtension(String)
}

/// The choice of the uniform type identifier that a player receives for a resource.
///
/// AVFoundation raises an exception, which can't be caught, if a request allows only certain identifiers and finishes
/// with another one.
struct ContentTypeChoice {
    /// The identifiers that the player allows; empty if it allows any.
    var allowed: [String]
    /// Returns the system's identifiers for a name, the preferred one first; empty if the system doesn't know the name.
    var identifiers: (TypeName) -> [String]

    /// Returns the identifier of a resource.
    ///
    /// - Parameters:
    ///   - mediaType: The media type of the resource.
    ///   - sniffed: The media type according to the first bytes; nil if it's uncertain or hasn't been determined.
    ///   - pathExtension: The extension of the URL's path, in lower case; empty if there is none.
    /// - Returns: The first identifier that the player allows; nil if the player allows any and the system knows none.
    ///   The system then detects the type from the URL, or fails.
    /// - Throws: `CacheError` with `notMedia` if the player allows none of the identifiers.
    func identifier(
        of mediaType: String, sniffed: String? = nil, pathExtension: String, _ resource: @autoclosure () -> String
    ) throws(CacheError) -> String? {
        let found = names(mediaType, sniffed, pathExtension).flatMap(identifiers)
        guard !allowed.isEmpty else { return found.first }
        if let identifier = found.first(where: allowed.contains) { return identifier }
        throw CacheError(
            .notMedia,
            "\(resource()) has the type \(mediaType), but the player accepts only \(allowed.joined(separator: ", "))")
    }

    /// Returns the names to try: the media type, its usual extension, the same for the sniffed type, and the URL's
    /// extension.
    private func names(_ mediaType: String, _ sniffed: String?, _ pathExtension: String) -> [TypeName] {
        var names: [TypeName] = []
        for type in [mediaType, sniffed] {
            guard let type = MediaType.essence(type) else { continue }
            names.append(.mediaType(type))
            if let usual = MediaType.knownExtension(for: type, pathExtension: pathExtension) {
                names.append(.pathExtension(usual))
            }
        }
        if !pathExtension.isEmpty { names.append(.pathExtension(pathExtension)) }
        return names
    }
}
