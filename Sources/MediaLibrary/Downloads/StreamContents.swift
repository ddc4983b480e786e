import HLS
import MediaCache
import MediaContainers

/// A builder of an asset's contents: it loads the stream's playlists, applies the selection, and rewrites the playlists
/// to play from the cache.
struct StreamContents {
    /// A function that loads a playlist, given the address scope of the document that contains its URL, and the
    /// variables that it may import. It returns nil if the resource isn't a playlist.
    typealias Load =
        (_ url: ResourceURL, _ scope: AddressScope, _ variables: [String: String]) async throws -> LoadedPlaylist?

    private let selection: StreamSelection
    private let load: Load
    /// The preferred redundant copy of each media playlist, counted from 0. Others are used if it can't be loaded.
    private let copy: Int
    private var contents = AssetContents(parts: [])
    private var names = AssetPartNaming()
    private var listed: Set<AssetPart> = []
    private var bandwidth = 0.0

    private init(_ selection: StreamSelection, copy: Int, _ load: @escaping Load) {
        self.selection = selection
        self.copy = copy
        self.load = load
    }

    /// Returns the contents of the asset at `url`, which the user specified.
    ///
    /// - Throws: `CacheError`, with `notMedia` for an invalid playlist, or one without segments or variant streams; the
    ///   errors of `load`.
    static func plan(
        _ url: ResourceURL, selection: StreamSelection, copy: Int = 0, load: @escaping Load
    ) async throws -> AssetContents {
        guard let playlist = try await load(url, .any, [:]) else { return AssetContents(file: url) }
        var plan = StreamContents(selection, copy: copy, load)
        let isLive = try await plan.add(entry: playlist)
        plan.sortParts()
        plan.contents.isGrowing = isLive
        return plan.contents
    }

    // MARK: - Playlists

    private mutating func add(entry: LoadedPlaylist) async throws -> Bool {
        let parsed = try entry.parsed()
        contents.metadata = MediaMetadata(parsed.playlist, bytes: entry.inUTF8.bytes)
        switch parsed.playlist {
        case .media(let media):
            try add(media, from: entry, name: AssetContents.entryName, folder: "media-1")
            return Self.isLive(media)
        case .multivariant(let multivariant):
            return try await add(multivariant, from: entry, variables: parsed.variables)
        }
    }

    private mutating func add(
        _ playlist: MultivariantPlaylist, from entry: LoadedPlaylist, variables: [String: String]
    ) async throws -> Bool {
        let streams = RedundantStreams(of: playlist)
        let playlist = streams.playlist
        let (variants, chosen) = selection.choose(from: playlist)
        guard !variants.isEmpty else { throw CacheError(.notMedia, "\(entry.url) has no variant stream to play") }
        bandwidth = variants.reduce(0) { $0 + Double($1.averageBandwidth ?? $1.bandwidth) }
        contents.playlists.append(.init(name: AssetContents.entryName, url: entry.url.description, text: ""))
        var local: [String: String] = [:]
        var isLive = false
        let children = MultivariantPlaylist.children(variants, chosen)
        for (uri, kind) in children where local[uri] == nil {
            let copies = try ([uri] + (streams.copies[uri] ?? [])).map { try entry.resolve($0) }
            contents.copyCount = max(contents.copyCount, copies.count)
            let known = contents.playlists.first { known in
                known.name != AssetContents.entryName && copies.contains { $0.description == known.url }
            }
            if let known {
                local[uri] = known.name
                continue
            }
            let (child, url) = try await loadFirst(of: copies, of: entry, variables)
            let parsed = try child.parsed(importing: variables)
            guard case .media(let media) = parsed.playlist else {
                throw CacheError(
                    .notMedia, "\(url) is a multivariant playlist, but \(entry.url) lists it as a media playlist")
            }
            let folder = names.folder(for: kind)
            local[uri] = "\(folder)/\(AssetContents.entryName)"
            try add(media, from: child, name: "\(folder)/\(AssetContents.entryName)", folder: folder)
            isLive = isLive || Self.isLive(media)
        }
        contents.playlists[0].text = try text(
            of: playlist, from: entry, variants: variants, renditions: chosen, local: local)
        return isLive
    }

    /// Loads the preferred copy of a media playlist, or the next that can be loaded. Throws the error of the preferred
    /// copy if no copy can be loaded.
    private func loadFirst(
        of copies: [ResourceURL], of entry: LoadedPlaylist, _ variables: [String: String]
    ) async throws -> (playlist: LoadedPlaylist, url: ResourceURL) {
        var first: (any Error)?
        for offset in copies.indices {
            let url = copies[(copy + offset) % copies.count]
            do {
                guard let child = try await load(url, entry.references, variables) else {
                    throw CacheError(.notMedia, "\(url) isn't a playlist, although \(entry.url) lists it as one")
                }
                return (child, url)
            } catch {
                try Task.checkCancellation()
                first = first ?? error
            }
        }
        throw first ?? CacheError(.notMedia, "\(entry.url) lists no media playlist")
    }

    private mutating func text(
        of playlist: MultivariantPlaylist, from entry: LoadedPlaylist, variants: [VariantStream],
        renditions: [Rendition], local: [String: String]
    ) throws -> String {
        let playlist = playlist.narrowed(to: variants, renditions)
        let foreign = Set(playlist.sessionKeys.filter(\.isManagedByDRM).compactMap(\.uri))
        let mapped = playlist.mappingURIs { role, uri in
            switch role {
            case .variantStream, .rendition: local[uri] ?? uri
            case .sessionKey: foreign.contains(uri) ? uri : part(.key, uri, of: entry, folder: "keys", from: "") ?? uri
            case .sessionData: part(.other, uri, of: entry, folder: "data", from: "") ?? uri
            default: uri
            }
        }
        return LocalPlaylistWriter.text(of: .multivariant(mapped))
    }

    /// Adds a media playlist, and all resources that it refers to.
    private mutating func add(
        _ playlist: MediaPlaylist, from loaded: LoadedPlaylist, name: String, folder: String
    ) throws {
        guard !playlist.segments.isEmpty else {
            throw CacheError(.notMedia, "\(loaded.url) has no media segment to play")
        }
        var playlist = playlist
        let (base, url) = (loaded.base, loaded.url)
        let home = name.contains("/") ? folder : ""
        let gaps = playlist.segments.count { $0.isGap }
        if gaps > 0 {
            note(url, "the playlist marks \(gaps) of \(playlist.segments.count) segments as gaps (EXT-X-GAP)")
        }
        let foreign = foreignKeys(of: playlist, at: url)
        try addSegments(of: &playlist, from: loaded, folder: folder, home: home)
        for map in playlist.maps {
            guard let resource = try? base.resolve(map.uri) else { continue }
            let start = Int64(map.byteRange?.offset ?? 0)
            let range = map.byteRange.map { start..<start.clampedSum(Int64($0.length)) }
            let local = names.name(
                of: resource, resource.description, .initializationSection, folder: folder, hasMap: true)
            list(
                AssetPart(
                    role: .initializationSection, name: local, url: resource.description, range: range,
                    isEncrypted: map.keys.encryptWholeResources),
                of: loaded)
        }
        playlist.partInformation = nil
        playlist.serverControl = nil
        playlist.preloadHints = []
        playlist.renditionReports = []
        playlist.upcoming = nil
        playlist.variables = []
        playlist.unknownTags.removeAll(where: \.isRemovedLocally)
        playlist.hasEndList = true
        if playlist.type == .event { playlist.type = .onDemand }
        let mapped = playlist.mappingURIs { role, uri in
            switch role {
            case .key: foreign.contains(uri) ? uri : part(.key, uri, of: loaded, folder: folder, from: home) ?? uri
            case .initializationSection:
                (try? base.resolve(uri)).flatMap { names.name(of: $0.description) }
                    .map { AssetPartNaming.relative($0, from: home) } ?? uri
            default: uri
            }
        }
        contents.playlists.append(
            .init(name: name, url: url.description, text: LocalPlaylistWriter.text(of: .media(mapped))))
        contents.duration = max(contents.duration, Double(playlist.durationNanoseconds) / 1e9)
    }

    /// Adds the media segments to the parts, and replaces their URIs in the playlist with local names.
    private mutating func addSegments(
        of playlist: inout MediaPlaylist, from loaded: LoadedPlaylist, folder: String, home: String
    ) throws {
        var keys: [EncryptionKey] = []
        var (isEncrypted, hasWholeBlocks) = (false, false)
        var index = 0
        for resolved in playlist.resolvedSegments {
            defer { index += 1 }
            let segment = resolved.segment
            if !segment.tags.isEmpty { playlist.segments[index].tags.removeAll(where: \.isRemovedLocally) }
            if segment.title.seemsToContainReference { playlist.segments[index].title = "" }
            guard !segment.isGap else {
                playlist.segments[index].uri = AssetPartNaming.gap
                playlist.segments[index].byteRange = nil
                continue
            }
            let resource = try loaded.resolve(segment.uri)
            if segment.keys != keys {
                keys = segment.keys
                isEncrypted = keys.encryptWholeResources
                hasWholeBlocks = isEncrypted && !keys.contains { SegmentCipher($0.method) == .aes256Counter }
            }
            let written = resource.description
            let local = names.name(of: resource, written, .mediaSegment, folder: folder, hasMap: segment.map != nil)
            // A segment with an empty range has no bytes to request.
            if resolved.byteRange?.isEmpty != true {
                list(
                    AssetPart(
                        role: .mediaSegment, name: local, url: written,
                        range: resolved.byteRange.map { Int64($0.lowerBound)..<Int64($0.upperBound) },
                        start: Double(resolved.startNanoseconds) / 1e9,
                        duration: Double(segment.duration.nanoseconds) / 1e9,
                        isEncrypted: isEncrypted, hasWholeBlocks: hasWholeBlocks),
                    of: loaded)
            }
            playlist.segments[index].uri = AssetPartNaming.relative(local, from: home)
            // Ranges are written with an offset, because an omitted offset refers to the previous segment, which may
            // have another name now.
            if let range = resolved.byteRange {
                playlist.segments[index].byteRange = ByteRange(length: range.count, offset: range.lowerBound)
            }
        }
    }

    /// Returns the URIs of keys for DRM systems. Adds a note with their key formats.
    private mutating func foreignKeys(of playlist: MediaPlaylist, at url: ResourceURL) -> Set<String> {
        var foreign: Set<EncryptionKey> = []
        var last: [EncryptionKey] = []
        for segment in playlist.segments where segment.keys != last {
            last = segment.keys
            foreign.formUnion(last.filter(\.isManagedByDRM))
        }
        for map in playlist.maps { foreign.formUnion(map.keys.filter(\.isManagedByDRM)) }
        if !foreign.isEmpty {
            let formats = Set(foreign.map(\.keyFormat)).sorted().joined(separator: ", ")
            note(url, "encrypted with keys in the format \(formats); playback requires a license")
        }
        return Set(foreign.compactMap(\.uri))
    }

    private mutating func note(_ url: ResourceURL, _ text: String) {
        contents.notes.append(.init(url: url.description, text: text))
    }

    // MARK: - Parts

    /// Adds a resource to the parts, and returns a reference to it; nil if its URI isn't an HTTP URL.
    private mutating func part(
        _ role: AssetPart.Role, _ uri: String, of playlist: LoadedPlaylist, folder: String, from home: String
    ) -> String? {
        guard let resource = try? playlist.base.resolve(uri) else { return nil }
        let local = names.name(of: resource, resource.description, role, folder: folder, hasMap: false)
        list(AssetPart(role: role, name: local, url: resource.description), of: playlist)
        return AssetPartNaming.relative(local, from: home)
    }

    private mutating func list(_ part: AssetPart, of playlist: LoadedPlaylist) {
        var timeless = part
        (timeless.start, timeless.duration) = (0, 0)
        guard listed.insert(timeless).inserted else { return }
        var part = part
        part.scope = playlist.references
        contents.parts.append(part)
    }

    /// Sorts the parts in the order in which playback needs them, and estimates the length.
    private mutating func sortParts() {
        func rank(_ part: AssetPart) -> Int { part.role == .mediaSegment ? 1 : part.role == .other ? 2 : 0 }
        contents.parts = contents.parts.enumerated().sorted {
            (rank($0.element), $0.element.start, $0.offset) < (rank($1.element), $1.element.start, $1.offset)
        }.map(\.element)
        if bandwidth > 0, contents.duration > 0 {
            contents.estimatedLength = Int64(min(bandwidth / 8 * contents.duration, 1e18))
        }
    }

    /// Returns whether more segments may be added (RFC 8216bis §4.4.3.4, §4.4.3.5).
    private static func isLive(_ playlist: MediaPlaylist) -> Bool { !playlist.hasEndList && playlist.type != .onDemand }
}

extension MultivariantPlaylist {
    /// Returns the URIs of the media playlists of variant streams and renditions, and the prefixes of their folders.
    static func children(_ variants: [VariantStream], _ renditions: [Rendition]) -> [(uri: String, kind: String)] {
        variants.map { (uri: $0.uri, kind: "video") }
            + renditions.compactMap { rendition in
                rendition.uri.map { (uri: $0, kind: rendition.type?.folder ?? "other") }
            }
    }

    /// Returns the playlist with only the given streams and renditions, and without tags that refer to the origin.
    func narrowed(to variants: [VariantStream], _ renditions: [Rendition]) -> MultivariantPlaylist {
        var playlist = self
        playlist.variables = []
        let groups = Set(renditions.map { "\($0.type?.rawValue ?? "") \($0.groupID)" })
        playlist.entries = playlist.entries.compactMap { written in
            switch written {
            case .variant(var variant):
                guard variants.contains(variant) else { return nil }
                // A group must have a rendition (RFC 8216bis §4.4.6.2.1).
                if let group = variant.audioGroup, !groups.contains("AUDIO \(group)") { variant.audioGroup = nil }
                if let group = variant.videoGroup, !groups.contains("VIDEO \(group)") { variant.videoGroup = nil }
                if let group = variant.subtitlesGroup, !groups.contains("SUBTITLES \(group)") {
                    variant.subtitlesGroup = nil
                }
                return .variant(variant)
            case .rendition(let rendition): return renditions.contains(rendition) ? written : nil
            default: return written.isRemovedLocally ? nil : written
            }
        }
        return playlist
    }
}

extension RenditionType {
    fileprivate var folder: String {
        switch self {
        case .audio: "audio"
        case .video: "video"
        case .subtitles, .closedCaptions: "text"
        }
    }
}

extension AssetContents {
    init(file url: ResourceURL) {
        var part = AssetPart(role: .file, name: AssetPartNaming.file(url), url: url.description)
        part.scope = .any
        self.init(parts: [part])
    }
}
