public import MediaCache

/// Puts together what was played through a store.
///
/// What belongs to a stream is what its playlists say, as far as they're kept. Live ones never are: what came of those is
/// told from films by its first bytes.
public struct PlayedTitles: Sendable {
    /// A film is longer, and a segment rarely.
    private static let longestSegment: Int64 = 64 << 20
    /// A media initialization section is shorter, and a film never.
    private static let longestSection: Int64 = 64 << 10
    private static let partExtensions: Set = ["ts", "m2ts", "m4s", "m4f", "cmfv", "cmfa", "cmft", "vtt", "key"]
    private static let partTypes: Set = ["video/mp2t", "text/vtt", "video/iso.segment", "audio/iso.segment"]

    private let store: CacheStore
    private let shelf: AssetShelf

    /// Titles of a store, less what a library has.
    public init(store: CacheStore, shelf: AssetShelf) {
        self.store = store
        self.shelf = shelf
    }

    /// All of them, the one that was used last first. What is pinned isn't among them: downloads and recordings.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func all() async throws -> [PlayedTitle] {
        let owned = Set(try await shelf.assets().map(\.key))
        return try await all(among: try await store.resources()).filter { !owned.contains($0.main.key) }
    }

    /// The same with what has become an asset without being downloaded.
    ///
    /// - Parameter resources: all that is kept.
    /// - Throws: `CacheError` with `storage`.
    package func all(among resources: [ResourceInfo]) async throws -> [PlayedTitle] {
        let kept = Dictionary(resources.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        var rest = Dictionary(uniqueKeysWithValues: resources.filter { !$0.isPinned }.map { ($0.id, $0) })
        var titles = try await streams(among: &rest, kept: kept)
        var parts: [String: [ResourceInfo]] = [:]
        var files: [ResourceInfo] = []
        for info in rest.values {
            if try await isPart(info) { parts[info.folder, default: []].append(info) } else { files.append(info) }
        }
        for info in files {
            let folder = info.folder
            if parts[folder] != nil, info.isComplete, info.bytesKept <= Self.longestSection {
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

    /// The streams whose playlists are among `rest`, which are taken from there with what belongs to them.
    private func streams(
        among rest: inout [Int64: ResourceInfo], kept: [String: ResourceInfo]
    ) async throws -> [PlayedTitle] {
        // A multivariant playlist lies above those that it names, or before them in the same folder.
        let playlists = rest.values.filter { MediaType.isPlaylist($0.contentType) }.sorted {
            (Self.depth($0), $0.created, $0.id) < (Self.depth($1), $1.created, $1.id)
        }
        var streams: [PlayedTitle] = []
        for playlist in playlists {
            guard rest[playlist.id] != nil, let url = try? ResourceURL(playlist.url),
                let survey = try await StreamSurvey(of: url, as: playlist.identity, in: store, kept: kept)
            else { continue }
            rest[playlist.id] = nil
            let members = survey.members.sorted().compactMap { rest.removeValue(forKey: $0) }
            // One that came after its variant's has that with it.
            let earlier = streams.filter { survey.members.contains($0.main.id) }
            streams.removeAll { survey.members.contains($0.main.id) }
            var stream = PlayedTitle(
                kind: .stream, main: playlist, resources: [playlist] + earlier.flatMap(\.resources) + members)
            let most = survey.playlists.filter { $0.role == "media" || $0.role == "variant" }
                .max { $0.segmentsKept < $1.segmentsKept }
            stream.segments = most?.segments ?? 0
            stream.segmentsKept = most?.segmentsKept ?? 0
            streams.append(stream)
        }
        return streams
    }

    /// Whether it is no use by itself.
    private func isPart(_ info: ResourceInfo) async throws -> Bool {
        let type = MediaType.essence(info.contentType) ?? ""
        guard let url = try? ResourceURL(info.url) else { return false }
        // A recording may be a film in one file of the kind that segments are.
        guard (info.length ?? info.bytesKept) <= Self.longestSegment else { return false }
        if Self.partTypes.contains(type) || Self.partExtensions.contains(url.pathExtension) { return true }
        guard type == "video/mp4" || type == "audio/mp4", info.isComplete else { return false }
        let settings = store.transfers.askingNoOrigins.asking(for: url, as: info.identity)
        var request = ReadRequest(
            url: url, range: .closed(0, through: 7), settings: settings, revalidation: .never)
        request.countsAsUse = false
        do {
            let session = try await store.read(request)
            defer { session.cancel() }
            var front: [UInt8] = []
            for try await bytes in session.buffers { front += bytes }
            // A film begins with its brands, a segment with its own or with what is in it (ISO 14496-12 §8.16.2).
            return ["styp", "moof", "sidx", "emsg", "prft"].contains(
                String(decoding: front.dropFirst(4), as: UTF8.self))
        } catch is CacheError {
            return false
        }
    }

    private static func depth(_ info: ResourceInfo) -> Int { info.folder.utf8.count { $0 == UInt8(ascii: "/") } }
}

extension ResourceInfo {
    /// Its URL up to the last slash of the path.
    package var folder: String {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        return String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}
