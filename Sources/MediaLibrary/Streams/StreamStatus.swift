import HLS
public import MediaCache

/// The cache coverage of an HLS stream, and whether the stream plays without its origin.
public struct StreamStatus: Sendable, Hashable, Codable {
    /// The status of one playlist.
    public struct PlaylistStatus: Sendable, Hashable, Codable {
        /// The URL of the playlist.
        public var url: String
        /// The role: `media`, `multivariant`, `variant`, or the type of a rendition in lower case, such as `audio`.
        public var role: String
        /// Whether the playlist is cached. Live playlists never are.
        public var isCached: Bool
        /// The number of media segments without gaps; 0 if the playlist isn't cached.
        public var segments: Int
        /// The number of completely cached segments.
        public var segmentsCached: Int
        /// The URIs of keys and media initialization sections that aren't cached.
        public var missing: [String]

        /// Whether the playlist plays without the origin.
        public var isComplete: Bool { isCached && segmentsCached == segments && missing.isEmpty }

        var shortage: String {
            guard isCached else { return "\(url) isn't cached" }
            let count = missing.count
            let keys = count.counted(
                "key or media initialization section", plural: "keys or media initialization sections")
            let uncached =
                segmentsCached == segments ? nil : "\(segments - segmentsCached) of \(segments.counted("segment"))"
            return "\(url) lacks \([uncached, count == 0 ? nil : keys].compactMap(\.self).joined(separator: " and "))"
        }
    }

    /// The playlists, beginning with the requested one.
    public var playlists: [PlaylistStatus]
    /// Whether the stream plays without the origin: its media playlist is complete, or its multivariant playlist has a
    /// complete variant stream with a complete rendition in each group that the variant stream needs.
    public var playsWithoutOrigin: Bool

    /// A description of the missing resources.
    public var shortage: String {
        let missing = playlists.filter { !$0.isComplete && $0.role != "multivariant" }
        let rest = missing.count - 3
        let more = rest.counted("more playlist is incomplete", plural: "more playlists are incomplete")
        return missing.prefix(3).map(\.shortage).joined(separator: "; ") + (rest > 0 ? "; \(more)" : "")
    }

    /// Reads the status of a multivariant or media playlist from the cache, without requests to the origin.
    ///
    /// - Parameter identity: The identity with which the stream was requested; nil for none.
    /// - Returns: Nil if no complete playlist is cached for `url`, or if it can't be read or parsed.
    /// - Throws: `CacheError`, if the catalog can't be read.
    public init?(of url: ResourceURL, as identity: ProfileIdentity? = nil, in store: CacheStore) async throws {
        guard let survey = try await StreamSurvey(of: url, as: identity, in: store) else { return nil }
        playlists = survey.playlists
        playsWithoutOrigin = survey.playsWithoutOrigin
    }
}

/// A traversal of a stream's cached playlists that determines which resources are cached.
struct StreamSurvey {
    private(set) var playlists: [StreamStatus.PlaylistStatus] = []
    private(set) var playsWithoutOrigin = false
    /// The identifiers of all cached resources of the stream, including its playlists.
    private(set) var members: Set<Int64> = []
    private let store: CacheStore
    private let settings: TransferSettings
    private let cached: [String: ResourceInfo]

    /// - Parameter cached: The store's resources by cache key; if nil, they're read from the store.
    init?(
        of url: ResourceURL, as identity: ProfileIdentity?, in store: CacheStore, cached: [String: ResourceInfo]? = nil
    ) async throws {
        self.store = store
        settings = store.transfers.withoutOriginRequests.requesting(url, as: identity)
        self.cached =
            if let cached { cached } else {
                Dictionary(try await store.resources().map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
            }
        guard let playlist = try await load(url, variables: [:]) else { return nil }
        switch playlist.parsed.playlist {
        case .media(let media):
            let status = self.status(of: media, at: playlist.base, url: url, role: "media")
            playlists = [status]
            playsWithoutOrigin = status.isComplete
        case .multivariant(let multivariant):
            playlists = [
                .init(
                    url: url.description, role: "multivariant", isCached: true, segments: 0, segmentsCached: 0,
                    missing: [])
            ]
            try await survey(multivariant, at: playlist.base, variables: playlist.parsed.variables)
        }
    }

    private mutating func survey(
        _ playlist: MultivariantPlaylist, at base: ResourceURL, variables: [String: String]
    ) async throws {
        /// Whether each group has a complete rendition, by type and identifier. A rendition without a playlist is part
        /// of the variant streams.
        var groups: [RenditionType: [String: Bool]] = [:]
        for rendition in playlist.renditions {
            let type = rendition.type
            let role = type?.rawValue.lowercased() ?? "rendition"
            var isComplete = rendition.uri == nil
            if let uri = rendition.uri {
                isComplete = try await child(uri, of: base, role: role, variables: variables).isComplete
            }
            // Subtitles are optional; audio and video aren't.
            if let type, [.audio, .video].contains(type) {
                let wasComplete = groups[type]?[rendition.groupID] == true
                groups[type, default: [:]][rendition.groupID] = wasComplete || isComplete
            }
        }
        for variant in playlist.variants {
            let status = try await child(variant.uri, of: base, role: "variant", variables: variables)
            let needed = [(RenditionType.audio, variant.audioGroup), (.video, variant.videoGroup)]
            let hasRenditions = needed.allSatisfy { type, group in group.flatMap { groups[type]?[$0] } ?? true }
            if status.isComplete, hasRenditions { playsWithoutOrigin = true }
        }
    }

    private mutating func child(
        _ uri: String, of base: ResourceURL, role: String, variables: [String: String]
    ) async throws -> StreamStatus.PlaylistStatus {
        let url = try? base.resolve(uri)
        let text = url?.description ?? uri
        if let known = playlists.first(where: { $0.url == text }) { return known }
        var status = StreamStatus.PlaylistStatus(
            url: text, role: role, isCached: false, segments: 0, segmentsCached: 0, missing: [])
        if let url, let playlist = try await load(url, variables: variables),
            case .media(let media) = playlist.parsed.playlist
        {
            status = self.status(of: media, at: playlist.base, url: url, role: role)
        }
        playlists.append(status)
        return status
    }

    private mutating func status(
        of playlist: MediaPlaylist, at base: ResourceURL, url: ResourceURL, role: String
    ) -> StreamStatus.PlaylistStatus {
        var status = StreamStatus.PlaylistStatus(
            url: url.description, role: role, isCached: true, segments: 0, segmentsCached: 0, missing: [])
        var needed: Set<String> = []
        for resolved in playlist.resolvedSegments where !resolved.segment.isGap {
            let segment = resolved.segment
            status.segments += 1
            if isCached(segment.uri, of: base, bytes: resolved.byteRange) { status.segmentsCached += 1 }
            if let map = segment.map, needed.insert("\(map.uri) \(map.byteRange?.description ?? "")").inserted {
                let bytes = map.byteRange.flatMap { range in range.end.map { ($0 - range.length)..<$0 } }
                if !isCached(map.uri, of: base, bytes: bytes) { status.missing.append(map.uri) }
            }
            for key in segment.keys {
                guard let uri = key.uri, needed.insert(uri).inserted, !isDataURL(uri) else { continue }
                if !isCached(uri, of: base, bytes: nil) { status.missing.append(uri) }
            }
        }
        return status
    }

    private func isDataURL(_ uri: String) -> Bool { uri.prefix(5).lowercased() == "data:" }

    private mutating func isCached(_ uri: String, of base: ResourceURL, bytes: Range<Int>?) -> Bool {
        guard let url = try? base.resolve(uri), let info = cached(url) else { return false }
        guard let bytes else { return info.isComplete }
        return info.spans.contains { $0.lowerBound <= bytes.lowerBound && bytes.upperBound <= $0.upperBound }
    }

    private mutating func cached(_ url: ResourceURL) -> ResourceInfo? {
        let info = cached[store.key(of: ReadRequest(url: url, settings: settings))]
        if let info { members.insert(info.id) }
        return info
    }

    /// Loads a playlist from the cache; returns nil if it isn't cached or can't be read or parsed. It may have been
    /// evicted since the resources were listed.
    private mutating func load(
        _ url: ResourceURL, variables: [String: String]
    ) async throws -> (parsed: ParsedPlaylist, base: ResourceURL)? {
        guard cached(url)?.isComplete == true else { return nil }
        var request = WholeBodyRequest(url: url, settings: settings, revalidation: .never, kind: .playlist) { _ in
            false
        }
        request.countsAsUse = false
        let body: WholeBody
        do {
            body = try await store.wholeBody(request)
        } catch let error as CacheError where error.code != .cancelled && error.code != .closed {
            return nil
        }
        let base = body.head.location ?? url
        let context = PlaylistContext(playlistURL: base.description, importableVariables: variables)
        guard let parsed = try? PlaylistParser(context: context).parse(body.bytes) else { return nil }
        return (parsed, base)
    }
}
