import HLS
internal import MediaCache

/// The multivariant playlist of a channel. Its URIs refer to the tracks' playlists by folder.
enum ChannelEntry {
    /// The tracks and the entry of a stream, derived from its playlist.
    struct Source {
        var tracks: [Channel.Track]
        /// The folders of the tracks that the playlist lists.
        var named: Set<String>
        /// The entry; empty if the stream is a media playlist.
        var text = ""
        var variables: [String: String] = [:]
    }

    /// Returns the tracks of a stream, and its entry.
    ///
    /// - Parameters:
    ///   - known: The tracks recorded so far, which retain their folders.
    ///   - entry: The current entry. Its tracks remain in the new one.
    /// - Throws: `CacheError` with `notMedia` if the playlist has no variant stream, or is a media playlist although
    ///   the known tracks belong to a multivariant playlist.
    static func make(
        of playlist: LoadedPlaylist, selection: StreamSelection, known: [Channel.Track], entry: String
    ) throws -> Source {
        let parsed = try playlist.parsed()
        guard case .multivariant(let multivariant) = parsed.playlist else {
            // The playlist may be a temporary slate, which must not replace all tracks.
            guard known.allSatisfy({ $0.kind == "media" }) else {
                throw CacheError(
                    .notMedia, "\(playlist.url) is now a media playlist instead of a multivariant playlist")
            }
            let track = Channel.Track(folder: "media-1", url: playlist.url.description, scope: .any)
            return Source(tracks: [track], named: [track.folder])
        }
        let streams = RedundantStreams(of: multivariant)
        let (variants, renditions) = selection.choose(from: streams.playlist)
        guard !variants.isEmpty else { throw CacheError(.notMedia, "\(playlist.url) has no variant stream to record") }
        var tracks: [Channel.Track] = []
        var kinds: [String] = []
        var places: [String: Int] = [:]
        for (uri, kind) in MultivariantPlaylist.children(variants, renditions) where places[uri] == nil {
            let url = try playlist.base.resolve(uri).description
            if let place = tracks.firstIndex(where: { $0.url == url }) {
                places[uri] = place
                continue
            }
            places[uri] = tracks.count
            let copies = try streams.copies[uri]?.map { try playlist.base.resolve($0).description }
            let rendition = renditions.first { $0.uri == uri }.map {
                Channel.RenditionName(groupID: $0.groupID, name: $0.name, language: $0.language)
            }
            tracks.append(
                Channel.Track(
                    folder: "", url: url, scope: playlist.references, copies: copies, rendition: rendition))
            kinds.append(kind)
        }
        let named = Self.folders(of: tracks, kinds, known: known)
        for (index, folder) in named.enumerated() { tracks[index].folder = folder }
        let folders = places.mapValues { named[$0] }
        // Tracks that the stream no longer lists remain.
        tracks += known.filter { track in !tracks.contains { $0.folder == track.folder } }
        var narrowed = streams.playlist.narrowed(to: variants, renditions)
        narrowed.entries.removeAll { entry in
            switch entry {
            case .sessionKey: true
            case .sessionData(let data): data.uri != nil
            default: false
            }
        }
        var local = narrowed.mappingURIs { _, uri in folders[uri].map { "\($0)/index.m3u8" } ?? uri }
        if let earlier = parse(entry) { local = adding(earlier, to: local) }
        let text = LocalPlaylistWriter.text(of: .multivariant(local))
        return Source(tracks: tracks, named: Set(named), text: text, variables: parsed.variables)
    }

    // MARK: - Folders

    /// The attributes that identify a track, the most reliable first. URLs and group IDs may contain changing tokens.
    private static let identifyingAttributes: [@Sendable (Channel.Track) -> [String]] = [
        { [$0.url] + ($0.copies ?? []) },
        { track in track.rendition.map { ["\($0.groupID)\n\($0.name)\n\($0.language ?? "")"] } ?? [] },
        { track in ([track.url] + (track.copies ?? [])).compactMap { (try? ResourceURL($0)).map { "\($0.path)" } } },
        { track in track.rendition.map { ["\($0.name)\n\($0.language ?? "")"] } ?? [] },
    ]

    /// Returns the folder of each track: that of the matching known track, otherwise a new one.
    ///
    /// An attribute matches if exactly one new and one known track have it. Tracks without a match are assigned by
    /// their position among those of their kind.
    private static func folders(of tracks: [Channel.Track], _ kinds: [String], known: [Channel.Track]) -> [String] {
        var folders = [String?](repeating: nil, count: tracks.count)
        var free = Dictionary(known.map { ($0.folder, $0) }) { first, _ in first }
        for attributes in identifyingAttributes {
            let open = tracks.indices.filter { folders[$0] == nil }
            let own = open.map { index in attributes(tracks[index]).map { "\(kinds[index]) \($0)" } }
            var owners: [String: [String]] = [:]
            for track in free.values {
                for attribute in Set(attributes(track)) {
                    owners["\(track.kind) \(attribute)", default: []].append(track.folder)
                }
            }
            let counts = Dictionary(own.flatMap(Set.init).map { ($0, 1) }, uniquingKeysWith: +)
            for (index, values) in zip(open, own) {
                let matches = values.lazy.filter { counts[$0] == 1 }.compactMap { owners[$0] }
                let folder = matches.first { $0.count == 1 }?[0]
                if let folder, free.removeValue(forKey: folder) != nil { folders[index] = folder }
            }
        }
        var used = Set(known.map(\.folder)).subtracting(free.keys)
        var places = AssetPartNaming()
        for (index, track) in tracks.enumerated() {
            let place = places.folder(for: kinds[index])
            guard folders[index] == nil, !used.contains(place), free[place]?.mayEqual(track) ?? true else { continue }
            folders[index] = place
            used.insert(place)
        }
        used.formUnion(free.keys)
        var names = AssetPartNaming()
        for index in tracks.indices where folders[index] == nil {
            var folder = names.folder(for: kinds[index])
            while used.contains(folder) { folder = names.folder(for: kinds[index]) }
            folders[index] = folder
            used.insert(folder)
        }
        return folders.compactMap { $0 }
    }

    /// Returns the multivariant playlist of a stream with a single media playlist. The bandwidth is in bits per second.
    static func single(folder: String, bandwidth: Int) -> String {
        "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=\(max(1, bandwidth))\n\(folder)/index.m3u8\n"
    }

    /// Parses an entry; returns nil if the text isn't a multivariant playlist.
    private static func parse(_ entry: String) -> MultivariantPlaylist? {
        guard case .multivariant(let playlist) = try? PlaylistParser().parse(Array(entry.utf8)).playlist else {
            return nil
        }
        return playlist
    }

    /// Returns the folders of the tracks that an entry lists; empty if the text isn't a multivariant playlist.
    static func folders(in entry: String) -> Set<String> { parse(entry).map { folders(in: $0) } ?? [] }

    static func folders(in entry: MultivariantPlaylist) -> Set<String> {
        Set((entry.variants.map(\.uri) + entry.renditions.compactMap(\.uri)).map(folder(of:)))
    }

    /// Returns the folders of each variant stream's audio renditions, by the variant stream's folder.
    static func audioFoldersByVariant(in entry: String) -> [String: Set<String>] {
        guard let playlist = parse(entry) else { return [:] }
        return playlist.variants.reduce(into: [:]) { audioFolders, variant in
            let uris = playlist.renditions(.audio, of: variant).compactMap(\.uri)
            audioFolders[folder(of: variant.uri), default: []].formUnion(uris.map(folder(of:)))
        }
    }

    /// Returns the folder in the URI of a track's playlist.
    static func folder(of uri: String) -> String { String(uri.prefix { $0 != "/" }) }

    /// Returns an entry with a different name for the tracks' playlists, and without unavailable tracks. If no variant
    /// stream is available, all variant streams remain. Text that isn't a multivariant playlist is returned unchanged.
    ///
    /// - Parameters:
    ///   - name: The name of the tracks' playlists.
    ///   - folders: The folders of the available tracks.
    ///   - place: The path from the entry to the tracks' folders, empty or ending in a slash.
    static func text(
        _ entry: String, playlist name: String, having folders: Set<String>, at place: String = ""
    ) -> String {
        guard var playlist = parse(entry) else { return entry }
        func isAvailable(_ uri: String?) -> Bool { uri.map { folders.contains(folder(of: $0)) } ?? true }
        let hasVariant = playlist.variants.contains { isAvailable($0.uri) }
        let variants = hasVariant ? playlist.variants.filter { isAvailable($0.uri) } : playlist.variants
        playlist = playlist.narrowed(to: variants, playlist.renditions.filter { isAvailable($0.uri) })
        let mapped = playlist.mappingURIs { _, uri in place + uri.replacing("/index.m3u8", with: "/" + name) }
        return LocalPlaylistWriter.text(of: .multivariant(mapped))
    }
}

extension Channel.Track {
    /// The kind of media, which is the prefix of the folder's name.
    fileprivate var kind: Substring { folder.prefix { $0 != "-" } }

    /// Returns whether two tracks without a matching attribute may be the same, judging by their renditions.
    fileprivate func mayEqual(_ track: Channel.Track) -> Bool {
        guard let own = rendition, let other = track.rendition else { return true }
        return own.language == other.language && (own.language != nil || own.name == other.name)
    }
}
