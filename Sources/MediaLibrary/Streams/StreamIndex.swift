import HLS
import MediaCache

/// The segments of one media playlist by URL, and what they need, in little memory: a playlist may have a hundred
/// thousand.
struct StreamIndex: Sendable {
    /// What is said of a segment, and what is no segment.
    private struct Traits: OptionSet {
        var rawValue: UInt8
        static let wholeResource = Traits(rawValue: 1)
        static let gap = Traits(rawValue: 2)
        static let part = Traits(rawValue: 4)
        static let key = Traits(rawValue: 8)
        static let initialization = Traits(rawValue: 16)
        static let noSegment: Traits = [.part, .key, .initialization]

        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Of a segment or part that is a byte range of its resource, or isn't there.
        init(isRange: Bool, isGap: Bool) {
            self = isGap ? .gap : isRange ? [] : .wholeResource
        }
    }

    /// The hash of a segment's URL, and its place among `uris`.
    private struct Name {
        var hash: UInt64
        var index: Int32
    }

    /// Names that room is made for beforehand.
    private static let maximumReserved = 1 << 20

    /// Whether it belongs to a playlist that may be another one soon, or could until now.
    let isLive: Bool
    /// Whether a delta update is all of it.
    private(set) var isDelta = false
    /// The media sequence numbers of a live playlist, those that a delta update leaves out among them, and that of a
    /// segment of which there are only parts.
    private(set) var window: Range<Int>?
    /// What a live playlist says that its segments are at most, between a second and a day.
    private(set) var targetDuration = Duration.seconds(1)
    /// The duration of all that is in `window`; what isn't told is as long as the mean of what is.
    private(set) var windowDuration = Duration.zero
    private let base: ResourceURL
    /// Of the playlist and the variables that it may import, which a process tells by it from all others.
    private let content: Int
    private var uris = URIList()
    private var traits: [Traits] = []
    /// Sorted by hash; of equal ones the newest comes last.
    private var names: [Name] = []
    /// Of a live playlist, what each of `uris` is.
    private var live: [LiveSegment] = []

    /// Reads the segments of `playlist`.
    init(_ playlist: LoadedPlaylist, variables: [String: String], isLive: Bool) {
        base = playlist.base
        content = Self.content(of: playlist, variables)
        self.isLive = isLive
        let bytes = playlist.bytes
        let hashes = ReferenceHash(base: base)
        let context = PlaylistContext(playlistURL: base.description, importableVariables: variables)
        var tags = isLive ? readLive(bytes) : LiveTags()
        // Growing by doubling would hold them twice; what isn't written to costs nothing.
        let lines = min(bytes.count { $0 == UInt8(ascii: "\n") }, Self.maximumReserved)
        names.reserveCapacity(lines / 2)
        traits.reserveCapacity(lines / 2)
        if isLive { live.reserveCapacity(lines / 2) }
        var end = 0
        // One key and one section serve many segments, and some writers name them before each.
        var last: (key: String, initialization: String) = ("", "")
        PlaylistReferences(context: context).forEach(in: bytes) { reference in
            switch reference.role {
            case .mediaSegment:
                // What is said of the segment stands between the one before and its URI.
                let lines = PlaylistLines(bytes, in: end..<reference.bytes.lowerBound)
                let isGap = lines.contains("#EXT-X-GAP")
                let isPart = lines.contains("#EXT-X-BYTERANGE")
                add(reference, Traits(isRange: isPart, isGap: isGap), hashes, tags.nextSegment())
                end = reference.bytes.upperBound
            case .partialSegment where isLive:
                let (part, isRange, isGap) = tags.nextPart()
                add(reference, Traits(isRange: isRange, isGap: isGap).union(.part), hashes, part)
            case .preloadHint where isLive:
                guard let (part, isRange) = tags.nextHint() else { break }
                add(reference, Traits(isRange: isRange, isGap: false).union(.part), hashes, part)
            case .key where reference.uri != last.key, .sessionKey where reference.uri != last.key:
                last.key = reference.uri
                add(reference, [.key, .wholeResource], hashes, .companion)
            case .initializationSection where reference.uri != last.initialization:
                last.initialization = reference.uri
                // It may be a part of the resource, which its attribute after the URI tells.
                add(reference, .initialization, hashes, .companion)
            default: break
            }
        }
        names.sort { ($0.hash, $0.index) < ($1.hash, $1.index) }
    }

    /// What a live playlist says of its segments, and of itself.
    private mutating func readLive(_ bytes: [UInt8]) -> LiveTags {
        guard let media = (try? PlaylistParser().parse(bytes))?.playlist.media else { return LiveTags() }
        isDelta = media.skip != nil
        let end = media.upcoming?.parts.isEmpty == false ? media.nextMediaSequence &+ 1 : media.nextMediaSequence
        window = media.mediaSequence..<max(media.mediaSequence, end)
        targetDuration = .seconds(min(max(1, media.targetDuration ?? 1), 86_400))
        let known = media.segments.reduce(Duration.zero) { $0 + .nanoseconds($1.duration.nanoseconds) }
        let mean = media.segments.isEmpty ? targetDuration : known / media.segments.count
        windowDuration = mean * (window?.count ?? 0)
        return LiveTags(media)
    }

    /// How many segments, parts, keys and sections it names.
    var count: Int { uris.count }

    /// Calls `body` with each name of a live playlist and what it means; where a name repeats, the newest counts.
    func forEachLiveName(_ body: (_ hash: UInt64, _ segment: LiveSegment) -> Void) {
        for (position, name) in names.enumerated() where !live.isEmpty {
            let next = position + 1
            if next == names.count || names[next].hash != name.hash { body(name.hash, live[Int(name.index)]) }
        }
    }

    /// Whether this is what reading `playlist` would give.
    func isOf(_ playlist: LoadedPlaylist, variables: [String: String]) -> Bool {
        base == playlist.base && content == Self.content(of: playlist, variables)
    }

    private static func content(of playlist: LoadedPlaylist, _ variables: [String: String]) -> Int {
        var hasher = Hasher()
        hasher.combine(variables)
        hasher.combine(playlist.bytes.count)
        playlist.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    private mutating func add(
        _ reference: Reference, _ said: Traits, _ hashes: ReferenceHash, _ segment: LiveSegment
    ) {
        guard let hash = hashes.hash(of: reference.uri), let index = Int32(exactly: uris.count),
            uris.append(reference.uri)
        else { return }
        names.append(Name(hash: hash, index: index))
        traits.append(said)
        if isLive { live.append(segment) }
    }

    /// Where `url` comes. Where a name repeats, the newest counts.
    func place(of url: ResourceURL, hash: UInt64, view: Int) -> SegmentPlace? {
        var (lower, upper) = (0, names.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if names[middle].hash <= hash { lower = middle + 1 } else { upper = middle }
        }
        guard lower > 0, names[lower - 1].hash == hash else { return nil }
        let index = Int(names[lower - 1].index)
        guard self.url(at: index)?.withoutUserInfo == url.withoutUserInfo else { return nil }
        let said = traits[index]
        return SegmentPlace(
            kind: said.contains(.key) ? .key : .segment, isWholeResource: said.contains(.wholeResource),
            isGap: said.contains(.gap), view: view, index: index)
    }

    /// The whole resources among the next `count` segments after the one at `index`.
    func following(_ index: Int, count: Int) -> [ResourceURL] {
        // A player that asks for a key hasn't said yet where it begins.
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
