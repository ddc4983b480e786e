import HLS
import MediaCache

/// The segments of one media playlist by URL, and what they need, in little memory: a playlist may have a hundred
/// thousand.
struct StreamIndex: Sendable {
    private enum Role { case segment, part, key, initialization }

    private struct Entry {
        var role: Role
        /// Where the URI stands in `bytes`.
        var lower: Int32
        var upper: Int32
        var isWholeResource: Bool
        var isGap: Bool
    }

    /// The hash of a segment's URL, and its place among `entries`.
    private struct Name {
        var hash: UInt64
        var index: Int32
    }

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
    /// What segments are called where that isn't what is written: variables are in it.
    private var substituted: [Int: String] = [:]
    private let bytes: [UInt8]
    private let variables: [String: String]
    private var entries: [Entry] = []
    /// Sorted by hash; of equal ones the newest comes last.
    private var names: [Name] = []
    /// Of a live playlist, what each of `entries` is.
    private var live: [LiveSegment] = []

    /// Reads the segments of `playlist`.
    init(_ playlist: LoadedPlaylist, variables: [String: String], isLive: Bool) {
        base = playlist.base
        bytes = playlist.bytes
        self.isLive = isLive
        self.variables = variables
        let hashes = ReferenceHash(base: base)
        let context = PlaylistContext(playlistURL: base.description, importableVariables: variables)
        var tags = isLive ? readLive() : LiveTags()
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
                add(reference, .segment, hashes, isWholeResource: !isPart && !isGap, isGap: isGap, tags.nextSegment())
                end = reference.bytes.upperBound
            case .partialSegment where isLive:
                let (part, isRange, isGap) = tags.nextPart()
                add(reference, .part, hashes, isWholeResource: !isRange && !isGap, isGap: isGap, part)
            case .preloadHint where isLive:
                guard let (part, isRange) = tags.nextHint() else { break }
                add(reference, .part, hashes, isWholeResource: !isRange, isGap: false, part)
            case .key where reference.uri != last.key, .sessionKey where reference.uri != last.key:
                last.key = reference.uri
                add(reference, .key, hashes, isWholeResource: true, isGap: false, .companion)
            case .initializationSection where reference.uri != last.initialization:
                last.initialization = reference.uri
                // It may be a part of the resource, which its attribute after the URI tells.
                add(reference, .initialization, hashes, isWholeResource: false, isGap: false, .companion)
            default: break
            }
        }
        names.sort { ($0.hash, $0.index) < ($1.hash, $1.index) }
    }

    /// What a live playlist says of its segments, and of itself.
    private mutating func readLive() -> LiveTags {
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
    var count: Int { entries.count }

    /// Calls `body` with each name of a live playlist and what it means; where a name repeats, the newest counts.
    func forEachLiveName(_ body: (_ hash: UInt64, _ segment: LiveSegment) -> Void) {
        for (position, name) in names.enumerated() where !live.isEmpty {
            let next = position + 1
            if next == names.count || names[next].hash != name.hash { body(name.hash, live[Int(name.index)]) }
        }
    }

    /// Whether this is what reading `playlist` would give.
    func isOf(_ playlist: LoadedPlaylist, variables: [String: String]) -> Bool {
        base == playlist.base && self.variables == variables && bytes == playlist.bytes
    }

    private mutating func add(
        _ reference: Reference, _ role: Role, _ hashes: ReferenceHash, isWholeResource: Bool, isGap: Bool,
        _ segment: LiveSegment
    ) {
        guard let hash = hashes.hash(of: reference.uri), let index = Int32(exactly: entries.count),
            let upper = Int32(exactly: reference.bytes.upperBound)
        else { return }
        if reference.hasVariables { substituted[entries.count] = reference.uri }
        names.append(Name(hash: hash, index: index))
        entries.append(
            Entry(
                role: role, lower: Int32(reference.bytes.lowerBound), upper: upper, isWholeResource: isWholeResource,
                isGap: isGap))
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
        let entry = entries[index]
        return SegmentPlace(
            kind: entry.role == .key ? .key : .segment, isWholeResource: entry.isWholeResource, isGap: entry.isGap,
            view: view, index: index)
    }

    /// The whole resources among the next `count` segments after the one at `index`.
    func following(_ index: Int, count: Int) -> [ResourceURL] {
        // A player that asks for a key hasn't said yet where it begins.
        guard entries[index].role == .segment || entries[index].role == .part else { return [] }
        var urls: [ResourceURL] = []
        var seen = 0
        for next in entries.indices.dropFirst(index + 1) {
            guard seen < count else { break }
            guard entries[next].role == .segment else { continue }
            seen += 1
            if entries[next].isWholeResource, let url = url(at: next) { urls.append(url) }
        }
        return urls
    }

    private func url(at index: Int) -> ResourceURL? {
        let entry = entries[index]
        let uri =
            substituted[index] ?? String(decoding: bytes[Int(entry.lower)..<Int(entry.upper)], as: UTF8.self)
        return try? base.resolve(uri)
    }
}
