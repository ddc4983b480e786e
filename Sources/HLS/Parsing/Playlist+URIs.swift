extension Playlist {
    /// The playlist with every URI replaced: resolved against a base, for instance.
    ///
    /// - Parameter transform: takes what a URI names and the URI, and gives the new one.
    public func mappingURIs(_ transform: (ReferenceRole, String) -> String) -> Playlist {
        switch self {
        case .media(let playlist): .media(playlist.mappingURIs(transform))
        case .multivariant(let playlist): .multivariant(playlist.mappingURIs(transform))
        }
    }

    /// The playlist with every URI resolved against the URL that it came from (RFC 8216bis, section 4.1).
    public func resolvingURIs(against base: String) -> Playlist {
        switch self {
        case .media(let playlist): .media(playlist.resolvingURIs(against: base))
        case .multivariant(let playlist): .multivariant(playlist.resolvingURIs(against: base))
        }
    }
}
