public import MediaCache

/// How much of an HLS stream is kept, and whether that is enough to play it without its origin.
public struct StreamStatus: Sendable, Hashable, Codable {
    /// One playlist of the stream.
    public struct PlaylistStatus: Sendable, Hashable, Codable {
        /// Its URL.
        public var url: String
        /// What it is to the stream: `media`, `multivariant`, or of a multivariant playlist's own: `variant`, or the
        /// rendition's type in lower case, as `audio`.
        public var role: String
        /// Whether the playlist itself is kept. Live ones never are.
        public var isKept: Bool
        /// Its media segments, gaps left out; 0 where it isn't kept.
        public var segments: Int
        /// Those of which every byte is here.
        public var segmentsKept: Int
        /// Keys and media initialization sections that aren't here.
        public var missing: [String]

        /// Whether it plays without its origin.
        public var isComplete: Bool { isKept && segmentsKept == segments && missing.isEmpty }

        /// What is missing of it, in words.
        var shortage: String {
            guard isKept else { return "\(url) isn't" }
            let keys = missing.isEmpty ? "" : " and \(missing.count) keys or sections"
            return "\(segments - segmentsKept) of \(segments) segments\(keys) of \(url)"
        }
    }

    /// The playlists, the one asked about first.
    public var playlists: [PlaylistStatus]
    /// Whether it plays without its origin: a media playlist that is complete, or a multivariant one with a variant
    /// that is, and a rendition in each group that the variant needs.
    public var playsWithoutOrigin: Bool

    /// What is missing of it, in words.
    public var shortage: String {
        let missing = playlists.filter { !$0.isComplete && $0.role != "multivariant" }
        let more = missing.count > 3 ? "; and of \(missing.count - 3) more playlists" : ""
        return missing.prefix(3).map(\.shortage).joined(separator: "; ") + more
    }

    /// Looks at what is kept; the origin isn't asked.
    ///
    /// - Parameters:
    ///   - url: a multivariant or media playlist.
    ///   - identity: in whose name it was asked for, if in anybody's.
    ///   - store: where it may be kept.
    /// - Returns: nil if what is kept of `url` isn't a playlist.
    /// - Throws: `CacheError`.
    public init?(of url: ResourceURL, as identity: ProfileIdentity? = nil, in store: CacheStore) async throws {
        guard let survey = try await StreamSurvey(of: url, as: identity, in: store) else { return nil }
        playlists = survey.playlists
        playsWithoutOrigin = survey.playsWithoutOrigin
    }
}
