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
        static let hint = Traits(rawValue: 32)
        static let noSegment: Traits = [.part, .key, .initialization]

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init(_ said: SegmentTags.Said) {
            self = said.isGap ? .gap : said.isRange ? [] : .wholeResource
            if said.isHint { insert(.hint) }
        }
    }

    /// The hash of a segment's URL, and its place among `uris`.
    private struct Name {
        var hash: UInt64
        var index: Int32
    }

    /// Of so many names at least it's known what they mean in a live playlist: an event's first segments don't change.
    private static let mostRecent = 2048

    /// Names that room is made for beforehand.
    private static let maximumReserved = 1 << 20

    /// The longest duration of a live segment that counts, in nanoseconds: a day.
    private static let longestSegment: Int64 = 86_400_000_000_000

    /// The most segments of a live playlist that count towards its duration.
    private static let mostLiveSegments = 1 << 32

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
    /// The scope of the playlist's references.
    let references: AddressScope
    private let base: ResourceURL
    /// Of the playlist and the variables that it may import, which a process tells by it from all others.
    private let content: Int
    private var uris = URIList()
    private var traits: [Traits] = []
    /// Sorted by hash; of equal ones the newest comes last.
    private var names: [Name] = []
    /// What the newest of a live playlist's `uris` are, from ``firstLive`` on.
    private var live: [LiveSegment] = []
    private var firstLive = 0

    /// Reads the segments of `playlist`.
    init(_ playlist: LoadedPlaylist, variables: [String: String], isLive: Bool) {
        base = playlist.base
        references = playlist.references
        content = Self.content(of: playlist, variables)
        self.isLive = isLive
        // As players get it.
        let bytes = PlaylistReferences.withoutLineSplitters(playlist.bytes)
        let hashes = ReferenceHash(base: base)
        let context = PlaylistContext(playlistURL: base.description, importableVariables: variables)
        // Growing by doubling would hold them twice; what isn't written to costs nothing.
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
        // One key and one section serve many segments, and some writers name them before each.
        var last: (key: String, initialization: String) = ("", "")
        references.forEach(in: bytes) { reference in
            let place = reference.bytes.lowerBound
            switch reference.role {
            case .mediaSegment:
                let said = tags.segment(at: place)
                add(reference, Traits(said), hashes, said.segment)
            case .partialSegment where isLive:
                let said = tags.part(at: place)
                add(reference, Traits(said).union(.part), hashes, said.segment)
            case .preloadHint where isLive:
                guard let said = tags.hint(at: place) else { break }
                add(reference, Traits(said).union(.part), hashes, said.segment)
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
        guard isLive else { return }
        isDelta = tags.skipped != nil
        window = tags.window
        targetDuration = .nanoseconds(min(max(1_000_000_000, tags.targetDuration ?? 0), Self.longestSegment))
        // A delta update may say that any number of segments is left out.
        let mean = tags.meanDuration.map { Duration.nanoseconds(min($0, Self.longestSegment)) } ?? targetDuration
        windowDuration = mean * min(tags.window.count, Self.mostLiveSegments)
    }

    /// Of how many names of a live playlist it's known what they mean: the newest.
    var liveCount: Int { live.count }

    /// Calls `body` with each of them, counted from the oldest on, and what it means; where a name repeats, the newest
    /// counts.
    func forEachLiveName(_ body: (_ number: Int, _ hash: UInt64, _ segment: LiveSegment) -> Void) {
        for (position, name) in names.enumerated() where Int(name.index) >= firstLive && !live.isEmpty {
            let next = position + 1
            guard next == names.count || names[next].hash != name.hash else { continue }
            let number = Int(name.index) - firstLive
            body(number, name.hash, live[number])
        }
    }

    /// Which of them a name is, and what it means; nil if it isn't one.
    func liveName(_ hash: UInt64) -> (number: Int, segment: LiveSegment)? {
        guard let position = position(of: hash) else { return nil }
        let number = Int(names[position].index) - firstLive
        return live.indices.contains(number) ? (number, live[number]) : nil
    }

    /// Whether a name is in it.
    func contains(_ hash: UInt64) -> Bool { position(of: hash) != nil }

    /// Where the newest name with this hash stands among `names`.
    private func position(of hash: UInt64) -> Int? {
        var (lower, upper) = (0, names.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if names[middle].hash <= hash { lower = middle + 1 } else { upper = middle }
        }
        return lower > 0 && names[lower - 1].hash == hash ? lower - 1 : nil
    }

    /// Whether this is what reading `playlist` would give.
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
        _ reference: Reference, _ said: Traits, _ hashes: ReferenceHash, _ segment: LiveSegment
    ) {
        guard let hash = hashes.hash(of: reference.uri), let index = Int32(exactly: uris.count),
            uris.append(reference.uri)
        else { return }
        names.append(Name(hash: hash, index: index))
        traits.append(said)
        guard isLive else { return }
        live.append(segment)
        guard live.count == 2 * Self.mostRecent else { return }
        live.removeFirst(Self.mostRecent)
        firstLive += Self.mostRecent
    }

    /// Where `url` comes. Where a name repeats, the newest counts.
    func place(of url: ResourceURL, hash: UInt64, view: Int) -> SegmentPlace? {
        guard let position = position(of: hash) else { return nil }
        let index = Int(names[position].index)
        guard self.url(at: index)?.withoutUserInfo == url.withoutUserInfo else { return nil }
        let said = traits[index]
        return SegmentPlace(
            kind: said.contains(.key) ? .key : .segment, isWholeResource: said.contains(.wholeResource),
            isGap: said.contains(.gap), isHint: said.contains(.hint), view: view, index: index)
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
