public import Foundation
public import MediaCache

/// The titles that were played through a store. Each title is a file or the resources of a stream.
///
/// Cached playlists list the resources of their streams. Live playlists aren't cached, so segments of live streams are
/// distinguished from media files by their type, extension and first bytes.
public struct PlayedTitles: Sendable {
    /// The maximum length of a segment, in bytes. Media files are usually longer.
    private static let maximumSegmentLength: Int64 = 64 << 20
    /// The maximum length of a media initialization section, in bytes. Media files are longer.
    private static let maximumSectionLength: Int64 = 64 << 10
    private static let partExtensions: Set = ["ts", "m2ts", "m4s", "m4f", "cmfv", "cmfa", "cmft", "vtt", "key"]
    private static let partTypes: Set = ["video/mp2t", "text/vtt", "video/iso.segment", "audio/iso.segment"]

    private let store: CacheStore
    private let assetStore: AssetStore

    /// Creates the collection of a store's titles.
    public init(store: CacheStore, assetStore: AssetStore) {
        self.store = store
        self.assetStore = assetStore
    }

    /// Returns all titles that aren't in the library, most recently used first. Pinned resources, those of downloads
    /// and recordings, are excluded, and so are titles that were only probed.
    ///
    /// - Throws: `CacheError`, if the catalog or the library can't be read.
    public func all() async throws -> [PlayedTitle] {
        let owned = Set(try await assetStore.assets().map(\.key))
        return try await all(among: try await store.resources())
            .filter { !owned.contains($0.main.key) && $0.resources.contains { $0.hits > 0 } }
    }

    /// Returns all titles among the store's resources, including those in the library, most recently used first. Pinned
    /// resources are excluded.
    package func all(among resources: [ResourceInfo]) async throws -> [PlayedTitle] {
        let cached = Dictionary(resources.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        var rest = Dictionary(uniqueKeysWithValues: resources.filter { !$0.isPinned }.map { ($0.id, $0) })
        var titles = try await streams(among: &rest, cached: cached)
        var parts: [String: [ResourceInfo]] = [:]
        var files: [ResourceInfo] = []
        for info in rest.values {
            if try await isPart(info) { parts[info.folder, default: []].append(info) } else { files.append(info) }
        }
        for info in files {
            let folder = info.folder
            if parts[folder] != nil, info.isComplete, info.bytesCached <= Self.maximumSectionLength {
                parts[folder]?.append(info)
            } else {
                titles.append(PlayedTitle(kind: .file, main: info, resources: [info]))
            }
        }
        titles += parts.values.map { infos in
            let infos = infos.sorted { ($0.lastUsed, $0.id) > ($1.lastUsed, $1.id) }
            return PlayedTitle(kind: .parts, main: infos[0], resources: infos)
        }
        return titles.sorted { ($0.lastUsed, $0.main.id) > ($1.lastUsed, $1.main.id) }
    }

    /// Returns the streams whose playlists are in `rest`, and removes their resources from it.
    private func streams(
        among rest: inout [Int64: ResourceInfo], cached: [String: ResourceInfo]
    ) async throws -> [PlayedTitle] {
        // A multivariant playlist usually precedes the playlists that it lists, because it's in a parent folder or was
        // created earlier.
        let playlists = rest.values.filter { MediaType.isPlaylist($0.contentType) }.sorted {
            (Self.depth($0), $0.created, $0.id) < (Self.depth($1), $1.created, $1.id)
        }
        var streams: [PlayedTitle] = []
        for playlist in playlists {
            guard rest[playlist.id] != nil, let url = try? ResourceURL(playlist.url),
                let survey = try await StreamSurvey(of: url, as: playlist.identity, in: store, cached: cached)
            else { continue }
            rest[playlist.id] = nil
            let members = survey.members.sorted().compactMap { rest.removeValue(forKey: $0) }
            // The playlist may list variant streams that were found earlier. They are merged into this stream.
            let earlier = streams.filter { survey.members.contains($0.main.id) }
            streams.removeAll { survey.members.contains($0.main.id) }
            var stream = PlayedTitle(
                kind: .stream, main: playlist, resources: [playlist] + earlier.flatMap(\.resources) + members)
            let fullest = survey.playlists.filter { $0.role == "media" || $0.role == "variant" }
                .max { $0.segmentsCached < $1.segmentsCached }
            stream.segments = fullest?.segments ?? 0
            stream.segmentsCached = fullest?.segmentsCached ?? 0
            streams.append(stream)
        }
        return streams
    }

    /// Returns whether a resource is part of a stream and can't be played on its own.
    private func isPart(_ info: ResourceInfo) async throws -> Bool {
        let type = MediaType.essence(info.contentType) ?? ""
        guard let url = try? ResourceURL(info.url) else { return false }
        // A long resource with the type of a segment may be a whole recording.
        guard (info.length ?? info.bytesCached) <= Self.maximumSegmentLength else { return false }
        if Self.partTypes.contains(type) || Self.partExtensions.contains(url.pathExtension) { return true }
        guard type == "video/mp4" || type == "audio/mp4", info.isComplete else { return false }
        let settings = store.transfers.withoutOriginRequests.requesting(url, as: info.identity)
        var request = ReadRequest(url: url, range: .closed(0, through: 7), settings: settings, revalidation: .never)
        request.countsAsUse = false
        do {
            let front = try await store.read(request).collect()
            // A complete file begins with `ftyp`, a segment with `styp` or another box (ISO 14496-12 §8.16.2).
            return ["styp", "moof", "sidx", "emsg", "prft"].contains(
                String(decoding: front.dropFirst(4), as: UTF8.self))
        } catch is CacheError {
            return false
        }
    }

    private static func depth(_ info: ResourceInfo) -> Int { info.folder.utf8.count { $0 == UInt8(ascii: "/") } }
}

extension ResourceInfo {
    /// The URL up to the last slash of its path.
    package var folder: String {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        return String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}

/// A title that was played through the cache. A stream is one title, regardless of its number of resources.
public struct PlayedTitle: Sendable, Hashable {
    /// The kinds of titles.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// A single file, such as a film or a song.
        case file
        /// A stream with a cached playlist.
        case stream
        /// Segments in one folder of an origin without a cached playlist, such as those of a live stream. They can't be
        /// played.
        case parts
    }

    /// The kind of title.
    public var kind: Kind
    /// The file or playlist that plays the title; for segments, the most recently used one.
    public var main: ResourceInfo
    /// All cached resources of the title, beginning with ``main``.
    public var resources: [ResourceInfo]
    /// The number of segments, without gaps, in the stream's most complete variant stream; 0 for other kinds.
    public var segments = 0
    /// The number of completely cached segments in that variant stream.
    public var segmentsCached = 0

    /// The number of cached bytes.
    public var bytesCached: Int64 { resources.reduce(0) { $0 + $1.bytesCached } }
    /// The time at which a resource of the title was last read.
    public var lastUsed: Date { resources.map(\.lastUsed).max() ?? main.lastUsed }
    /// Whether a resource of the title is being read or filled.
    public var isInUse: Bool { resources.contains(where: \.isInUse) }
}
