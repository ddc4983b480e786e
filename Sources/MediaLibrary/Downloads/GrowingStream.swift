internal import HLS
internal import MediaCache

/// A stream whose playlists still grow: loads them again and again, and has all that was ever seen of them.
///
/// What left a playlist's window stays; what is missed between two loads leaves a discontinuity and a note.
actor GrowingStream {
    /// A playlist that never changed for so many of its target durations has only lost its EXT-X-ENDLIST.
    private static let patienceWithoutChange = 3
    /// How long one that did change may rest before it counts as ended: so many target durations, and at least a minute.
    private static let patience = 10
    private static let leastPatience = Duration.seconds(60)

    /// So many segments at the end of what an earlier process saw are compared by name.
    private static let tailLength = 1000

    private struct Known {
        /// All segments that were seen, their URIs absolute.
        var all: MediaPlaylist
        /// The playlist as it was loaded last.
        var last: MediaPlaylist
        var head: ResourceHead
        var changed: Duration
        var hasEverChanged = false
        /// Whether it was taken up from an earlier process, and nothing has been added since.
        var isRestored = false
    }

    private let url: ResourceURL
    private let selection: StreamSelection
    private let work: DownloadWork
    private let settings: TransferSettings
    private var known: [ResourceURL: Known] = [:]
    /// Playlists that don't grow: multivariant ones.
    private var fixed: [ResourceURL: LoadedPlaylist] = [:]
    /// What was seen before this process, by playlist.
    private var restored: [String: MediaPlaylist] = [:]
    private var notes: [AssetContents.Note] = []
    /// What was never seen.
    private(set) var missed: [DownloadHole] = []

    init(_ url: ResourceURL, selection: StreamSelection, work: DownloadWork, settings: TransferSettings) {
        self.url = url
        self.selection = selection
        self.work = work
        self.settings = settings
    }

    /// Takes up what an earlier process saw.
    func restore(_ contents: AssetContents, missed: [DownloadHole]) {
        self.missed = missed
        for playlist in contents.playlists {
            restored[playlist.url] = contents.originPlaylist(playlist)
        }
        notes = contents.notes
    }

    /// Loads all playlists.
    ///
    /// - Returns: what the stream consists of by now.
    func reload() async throws -> AssetContents {
        var contents = try await StreamContents.plan(url, selection: selection) { url, variables in
            try await self.loaded(url, variables)
        }
        contents.isGrowing = !hasEnded
        contents.notes += notes.filter { !contents.notes.contains($0) }
        return contents
    }

    /// Whether nothing more will come: every playlist says so, or none has changed for long.
    private var hasEnded: Bool {
        let now = work.store.time.monotonic
        return known.values.allSatisfy { $0.last.hasEndList || Self.isOver($0, now) }
    }

    /// Whether every playlist says that nothing more comes.
    var hasEndList: Bool { known.values.allSatisfy { $0.last.hasEndList } }

    private static func isOver(_ known: Known, _ now: Duration) -> Bool {
        let target = Duration.seconds(max(1, known.last.targetDuration ?? 1))
        let patience =
            known.hasEverChanged ? max(target * Self.patience, leastPatience) : target * patienceWithoutChange
        return now - known.changed >= patience
    }

    /// How long to wait before the next load (RFC 8216bis §6.3.4).
    var interval: Duration {
        let growing = known.values.filter { !$0.last.hasEndList }
        return growing.map { .seconds(max(1, $0.last.targetDuration ?? 1)) / 2 }.min() ?? .seconds(1)
    }

    // MARK: - Playlists

    private func loaded(_ url: ResourceURL, _ variables: [String: String]) async throws -> LoadedPlaylist? {
        if let playlist = fixed[url] { return playlist }
        if let known = known[url], known.last.hasEndList { return Self.playlist(known, url) }
        do {
            guard let playlist = try await work.loader.load(url, settings: settings, transferClass: .download) else {
                return nil
            }
            guard playlist.kind != .multivariant else {
                fixed[url] = playlist
                return playlist
            }
            return try take(playlist, variables, at: url)
        } catch {
            // One that can't be had for a moment is as it was; how long that may be, patience says.
            guard var known = known[url], !Task.isCancelled else { throw error }
            // Time in which nobody could look doesn't count; one that says that it's gone has ended.
            if (error as? CacheError)?.isRetryable ?? true { known.changed = work.store.time.monotonic }
            self.known[url] = known
            return Self.playlist(known, url)
        }
    }

    private func take(
        _ playlist: LoadedPlaylist, _ variables: [String: String], at url: ResourceURL
    ) throws -> LoadedPlaylist {
        let context = PlaylistContext(playlistURL: playlist.base.description, importableVariables: variables)
        guard case .media(let parsed) = try PlaylistParser(context: context).parse(playlist.bytes).playlist else {
            return playlist
        }
        var update = parsed.resolvingURIs(against: playlist.base.description)
        update.variables = []
        let now = work.store.time.monotonic
        guard var known = known[url] ?? restoredPlaylist(url, playlist.head, now) else {
            // What the first load doesn't have, nobody saw.
            let known = Known(all: update, last: update, head: playlist.head, changed: now)
            self.known[url] = known
            return Self.playlist(known, url)
        }
        let reload: PlaylistReload
        do {
            reload = try known.last.reloaded(with: update)
        } catch {
            return Self.playlist(known, url)
        }
        if reload.outcome == .updated || reload.outcome == .reset {
            known.changed = now
            known.hasEverChanged = true
        }
        append(reload, to: &known, at: url)
        known.last = reload.playlist
        self.known[url] = known
        return Self.playlist(known, url)
    }

    private func restoredPlaylist(_ url: ResourceURL, _ head: ResourceHead, _ now: Duration) -> Known? {
        restored.removeValue(forKey: url.description).map {
            Known(all: $0, last: $0, head: head, changed: now, hasEverChanged: true, isRestored: true)
        }
    }

    private func append(_ reload: PlaylistReload, to known: inout Known, at url: ResourceURL) {
        // What an earlier process saw may have other numbers than the origin's by now: what is known by its name isn't new.
        let tail = known.isRestored ? Set(known.all.segments.suffix(Self.tailLength).map(Self.name)) : []
        known.isRestored = false
        let new = reload.playlist.resolvedSegments.filter { reload.newSegments.contains($0.mediaSequence) }
        let unseen = tail.isEmpty ? new : new.filter { !tail.contains(Self.name($0.segment)) }
        var isBroken = unseen.count == new.count && noteBreak(reload, after: known, at: url)
        for resolved in unseen {
            var segment = resolved.segment
            if isBroken { segment.isDiscontinuous = true }
            isBroken = false
            // A key without a vector takes the segment's number, which this one loses here (§5.2).
            if known.all.nextMediaSequence != resolved.mediaSequence, segment.keys.contains(where: \.lacksVector) {
                segment.keys = segment.keys.map { key in
                    guard key.lacksVector else { return key }
                    var key = key
                    key.iv = HexadecimalSequence(bytes: resolved.initializationVector(for: key))
                    return key
                }
            }
            known.all.segments.append(segment)
        }
        known.all.targetDuration = max(known.all.targetDuration ?? 0, reload.playlist.targetDuration ?? 0)
        known.all.hasEndList = reload.playlist.hasEndList
    }

    /// Says what was missed. Returns whether what comes doesn't follow what was there.
    private func noteBreak(_ reload: PlaylistReload, after known: Known, at url: ResourceURL) -> Bool {
        if !reload.missedSegments.isEmpty {
            let text = "\(reload.missedSegments.count) segments had left the playlist before they were seen"
            notes.append(.init(url: url.description, text: text))
            missed.append(
                DownloadHole(
                    url: url.description, role: AssetPart.Role.mediaSegment.rawValue,
                    start: Double(known.all.durationNanoseconds) / 1e9, duration: 0, reason: text, isRetryable: false))
            return true
        }
        guard reload.outcome == .reset else { return false }
        notes.append(.init(url: url.description, text: "its encoder started again"))
        return true
    }

    /// What tells a segment from others, where numbers don't.
    private static func name(_ segment: MediaSegment) -> String {
        "\(segment.uri) \(segment.byteRange.map { "\($0.length)@\($0.offset ?? -1)" } ?? "")"
    }

    private static func playlist(_ known: Known, _ url: ResourceURL) -> LoadedPlaylist {
        LoadedPlaylist(bytes: PlaylistWriter().bytes(.media(known.all)), head: known.head, url: url, kind: .media)
    }
}

extension EncryptionKey {
    var lacksVector: Bool { method != .none && iv == nil }
}

extension AssetContents {
    /// A media playlist as it was at its origin, by the names that its parts have here; nil for another kind.
    fileprivate func originPlaylist(_ playlist: LocalPlaylist) -> MediaPlaylist? {
        guard case .media(var media) = try? PlaylistParser().parse(Array(playlist.text.utf8)).playlist else {
            return nil
        }
        let urls = Dictionary(parts.map { ($0.name, $0.url) }, uniquingKeysWith: { first, _ in first })
        let folder = playlist.name.contains("/") ? playlist.name.prefix { $0 != "/" } + "/" : ""
        media = media.mappingURIs { _, uri in
            let name = uri.hasPrefix("../") ? String(uri.dropFirst(3)) : folder + uri
            return urls[String(name)] ?? uri
        }
        media.hasEndList = false
        return media
    }
}
