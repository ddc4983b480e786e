import HLS
import MediaCache

/// Goes through the playlists of a stream that are kept, and looks which of their resources are.
struct StreamSurvey {
    private(set) var playlists: [StreamStatus.PlaylistStatus] = []
    private(set) var playsWithoutOrigin = false
    /// The numbers of all kept resources that it consists of, its playlists too.
    private(set) var members: Set<Int64> = []
    private let store: CacheStore
    private let settings: TransferSettings
    private let kept: [String: ResourceInfo]

    /// - Parameter kept: what is kept, by key; nil to look.
    init?(
        of url: ResourceURL, as identity: ProfileIdentity?, in store: CacheStore, kept: [String: ResourceInfo]? = nil
    ) async throws {
        self.store = store
        settings = store.transfers.askingNoOrigins.asking(for: url, as: identity)
        self.kept =
            if let kept { kept } else {
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
                    url: url.description, role: "multivariant", isKept: true, segments: 0, segmentsKept: 0, missing: [])
            ]
            try await survey(multivariant, at: playlist.base, variables: playlist.parsed.variables)
        }
    }

    private mutating func survey(
        _ playlist: MultivariantPlaylist, at base: ResourceURL, variables: [String: String]
    ) async throws {
        /// By group: whether some rendition of it is complete. One without a playlist of its own is in the variants.
        var groups: [String: Bool] = [:]
        for rendition in playlist.renditions {
            let role = rendition.type?.rawValue.lowercased() ?? "rendition"
            var isComplete = rendition.uri == nil
            if let uri = rendition.uri {
                isComplete = try await child(uri, of: base, role: role, variables: variables).isComplete
            }
            // Subtitles are a choice; sound isn't.
            if role == "audio" || role == "video" {
                groups[rendition.groupID] = groups[rendition.groupID] == true || isComplete
            }
        }
        for variant in playlist.variants {
            let status = try await child(variant.uri, of: base, role: "variant", variables: variables)
            let needed = [variant.audioGroup, variant.videoGroup].compactMap(\.self)
            if status.isComplete, needed.allSatisfy({ groups[$0] ?? true }) { playsWithoutOrigin = true }
        }
    }

    private mutating func child(
        _ uri: String, of base: ResourceURL, role: String, variables: [String: String]
    ) async throws -> StreamStatus.PlaylistStatus {
        let url = try? base.resolve(uri)
        let text = url?.description ?? uri
        if let known = playlists.first(where: { $0.url == text }) { return known }
        var status = StreamStatus.PlaylistStatus(
            url: text, role: role, isKept: false, segments: 0, segmentsKept: 0, missing: [])
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
            url: url.description, role: role, isKept: true, segments: 0, segmentsKept: 0, missing: [])
        var needed: Set<String> = []
        for resolved in playlist.resolvedSegments where !resolved.segment.isGap {
            let segment = resolved.segment
            status.segments += 1
            if isHere(segment.uri, of: base, bytes: resolved.byteRange) { status.segmentsKept += 1 }
            if let map = segment.map, needed.insert("\(map.uri) \(map.byteRange?.description ?? "")").inserted {
                let bytes = map.byteRange.flatMap { range in range.end.map { ($0 - range.length)..<$0 } }
                if !isHere(map.uri, of: base, bytes: bytes) { status.missing.append(map.uri) }
            }
            for key in segment.keys {
                guard let uri = key.uri, needed.insert(uri).inserted, !isWithin(uri) else { continue }
                if !isHere(uri, of: base, bytes: nil) { status.missing.append(uri) }
            }
        }
        return status
    }

    /// Whether the URI is the data itself (RFC 2397).
    private func isWithin(_ uri: String) -> Bool { uri.prefix(5).lowercased() == "data:" }

    private mutating func isHere(_ uri: String, of base: ResourceURL, bytes: Range<Int>?) -> Bool {
        guard let url = try? base.resolve(uri), let info = kept(url) else { return false }
        guard let bytes else { return info.isComplete }
        return info.spans.contains { $0.lowerBound <= bytes.lowerBound && bytes.upperBound <= $0.upperBound }
    }

    private mutating func kept(_ url: ResourceURL) -> ResourceInfo? {
        let info = kept[store.key(of: ReadRequest(url: url, settings: settings))]
        if let info { members.insert(info.id) }
        return info
    }

    /// A playlist from what is kept, or nil.
    private mutating func load(
        _ url: ResourceURL, variables: [String: String]
    ) async throws -> (parsed: ParsedPlaylist, base: ResourceURL)? {
        guard kept(url)?.isComplete == true else { return nil }
        var request = WholeBodyRequest(url: url, settings: settings, revalidation: .never, kind: .playlist) { _ in
            false
        }
        request.countsAsUse = false
        let body = try await store.wholeBody(request)
        let base = body.head.location ?? url
        let context = PlaylistContext(playlistURL: base.description, importableVariables: variables)
        guard let parsed = try? PlaylistParser(context: context).parse(body.bytes) else { return nil }
        return (parsed, base)
    }
}
