import HLS
import MediaCache

/// A compact index of a media playlist's segments, keys and media initialization sections by URL.
struct StreamIndex: Sendable {
    private struct Traits: OptionSet {
        var rawValue: UInt8
        static let wholeResource = Traits(rawValue: 1)
        static let gap = Traits(rawValue: 2)
        static let part = Traits(rawValue: 4)
        static let key = Traits(rawValue: 8)
        static let initialization = Traits(rawValue: 16)
        static let hint = Traits(rawValue: 32)
        static let noSegment: Traits = [.part, .key, .initialization]

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init(_ tags: SegmentTags.Tags) {
            self = tags.isGap ? .gap : tags.isRange ? [] : .wholeResource
            if tags.isHint { insert(.hint) }
        }
    }

    /// The hash of a URL, and its index in `uris`.
    private struct Name {
        var hash: UInt64
        var index: Int32
    }

    /// The minimum number of newest live segments with stored details. Earlier segments of an event don't change.
    private static let minimumLiveSegments = 2048
    private static let maximumReserved = 1 << 20
    /// The maximum duration of a live segment, in nanoseconds.
    private static let maximumSegmentDuration: Int64 = 86_400_000_000_000
    /// The maximum number of live segments that count toward the duration of a playlist.
    private static let maximumLiveSegments = 1 << 32

    /// Whether the playlist is live, or was live until the last update.
    let isLive: Bool
    private(set) var isDelta = false
    /// The media sequence numbers of a live playlist, including segments omitted by a delta update and a segment with
    /// only parts.
    private(set) var window: Range<Int>?
    /// The target duration of a live playlist, at least one second.
    private(set) var targetDuration = Duration.seconds(1)
    /// The duration of all segments in `window`. Omitted segments count with the mean duration of the others.
    private(set) var windowDuration = Duration.zero
    /// The duration of an on-demand playlist; nil for a live playlist.
    private var duration: Duration?
    let references: AddressScope
    private let base: ResourceURL
    /// A hash of the playlist and its importable variables, valid only in this process.
    private let content: Int
    private var uris = URIList()
    private var traits: [Traits] = []
    /// The names, sorted by hash; for equal hashes, the newest comes last.
    private var names: [Name] = []
    /// The segments of the newest `uris`, from index ``firstLive`` on.
    private var live: [LiveSegment] = []
    private var firstLive = 0

    init(_ playlist: LoadedPlaylist, variables: [String: String], isLive: Bool) {
        base = playlist.base
        references = playlist.references
        content = Self.content(of: playlist, variables)
        self.isLive = isLive
        // Characters that only some players treat as line breaks are removed, as in the playlists that players receive.
        let bytes = PlaylistReferences.withoutLineSplitters(playlist.bytes)
        let hashes = ReferenceHash(base: base)
        let context = PlaylistContext(playlistURL: base.description, importableVariables: variables)
        // Growth by doubling would need twice the memory. Reserved memory that isn't written costs nothing.
        let lines = min(bytes.count { $0 == UInt8(ascii: "\n") }, Self.maximumReserved)
        names.reserveCapacity(lines / 2)
        traits.reserveCapacity(lines / 2)
        uris.reserve(min(bytes.count / 2, Self.maximumReserved * 8))
        bytes.withUnsafeBytes { read(PlaylistReferences(context: context), in: bytes, SegmentTags($0), hashes) }
        names.sort { ($0.hash, $0.index) < ($1.hash, $1.index) }
    }

    private mutating func read(
        _ references: PlaylistReferences, in bytes: [UInt8], _ tags: SegmentTags, _ hashes: ReferenceHash
    ) {
        var tags = tags
        // Many segments may share a key and a section, and some packagers repeat the tags before each segment.
        var last: (key: String, initialization: String) = ("", "")
        references.forEach(in: bytes) { reference in
            let place = reference.bytes.lowerBound
            switch reference.role {
            case .mediaSegment:
                let segment = tags.segment(at: place)
                add(reference, Traits(segment), hashes, segment.segment)
            case .partialSegment where isLive:
                let part = tags.part(at: place)
                add(reference, Traits(part).union(.part), hashes, part.segment)
            case .preloadHint where isLive:
                guard let hint = tags.hint(at: place) else { break }
                add(reference, Traits(hint).union(.part), hashes, hint.segment)
            case .key where reference.uri != last.key, .sessionKey where reference.uri != last.key:
                last.key = reference.uri
                add(reference, [.key, .wholeResource], hashes, .companion)
            case .initializationSection where reference.uri != last.initialization:
                last.initialization = reference.uri
                // The section may be a byte range, given by an attribute after the URI.
                add(reference, .initialization, hashes, .companion)
            default: break
            }
        }
        guard isLive else {
            duration = .nanoseconds(tags.totalDuration)
            return
        }
        isDelta = tags.skipped != nil
        window = tags.window
        targetDuration = .nanoseconds(min(max(1_000_000_000, tags.targetDuration ?? 0), Self.maximumSegmentDuration))
        // A delta update may announce any number of omitted segments.
        let mean =
            tags.meanDuration.map { Duration.nanoseconds(min($0, Self.maximumSegmentDuration)) } ?? targetDuration
        windowDuration = mean * min(tags.window.count, Self.maximumLiveSegments)
    }

    /// The number of live names whose segments are known: the newest ones.
    var liveCount: Int { live.count }

    /// Calls `body` for each live name with a known segment. `number` is its index among these names, oldest first. If
    /// a name is repeated, only the newest occurrence counts.
    func forEachLiveName(_ body: (_ number: Int, _ hash: UInt64, _ segment: LiveSegment) -> Void) {
        for (position, name) in names.enumerated() where Int(name.index) >= firstLive && !live.isEmpty {
            let next = position + 1
            guard next == names.count || names[next].hash != name.hash else { continue }
            let number = Int(name.index) - firstLive
            body(number, name.hash, live[number])
        }
    }

    /// Returns the number of a live name and its segment; nil if its segment isn't known.
    func liveName(_ hash: UInt64) -> (number: Int, segment: LiveSegment)? {
        guard let position = position(of: hash) else { return nil }
        let number = Int(names[position].index) - firstLive
        return live.indices.contains(number) ? (number, live[number]) : nil
    }

    func contains(_ hash: UInt64) -> Bool { position(of: hash) != nil }

    /// Returns the index in `names` of the newest name with a hash.
    private func position(of hash: UInt64) -> Int? {
        let end = names.partitioningIndex { $0.hash > hash }
        return end > 0 && names[end - 1].hash == hash ? end - 1 : nil
    }

    /// Returns whether the index was created from an equal playlist.
    func isOf(_ playlist: LoadedPlaylist, variables: [String: String]) -> Bool {
        base == playlist.base && references == playlist.references && content == Self.content(of: playlist, variables)
    }

    private static func content(of playlist: LoadedPlaylist, _ variables: [String: String]) -> Int {
        var hasher = Hasher()
        hasher.combine(variables)
        hasher.combine(playlist.bytes.count)
        playlist.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    private mutating func add(
        _ reference: Reference, _ resource: Traits, _ hashes: ReferenceHash, _ segment: LiveSegment
    ) {
        guard let hash = hashes.hash(of: reference.uri), let index = Int32(exactly: uris.count),
            uris.append(reference.uri)
        else { return }
        names.append(Name(hash: hash, index: index))
        traits.append(resource)
        guard isLive else { return }
        live.append(segment)
        guard live.count == 2 * Self.minimumLiveSegments else { return }
        live.removeFirst(Self.minimumLiveSegments)
        firstLive += Self.minimumLiveSegments
    }

    /// Returns the position of the newest occurrence of `url`; nil if the playlist doesn't list it.
    func position(of url: ResourceURL, hash: UInt64, view: Int) -> SegmentPosition? {
        guard let position = position(of: hash) else { return nil }
        let index = Int(names[position].index)
        guard self.url(at: index)?.withoutUserInfo == url.withoutUserInfo else { return nil }
        let found = traits[index]
        return SegmentPosition(
            streamDuration: duration, kind: found.contains(.key) ? .key : .segment,
            isWholeResource: found.contains(.wholeResource),
            isGap: found.contains(.gap), isHint: found.contains(.hint), view: view, index: index)
    }

    /// Returns the URLs of the `count` segments after the one at `index`, without gaps and byte ranges.
    func following(_ index: Int, count: Int) -> [ResourceURL] {
        // A request for a key doesn't show which segment follows.
        guard traits[index].isDisjoint(with: [.key, .initialization]) else { return [] }
        var urls: [ResourceURL] = []
        var seen = 0
        for next in traits.indices.dropFirst(index + 1) {
            guard seen < count else { break }
            guard traits[next].isDisjoint(with: .noSegment) else { continue }
            seen += 1
            if traits[next].contains(.wholeResource), let url = url(at: next) { urls.append(url) }
        }
        return urls
    }

    private func url(at index: Int) -> ResourceURL? { try? base.resolve(uris[index]) }
}
