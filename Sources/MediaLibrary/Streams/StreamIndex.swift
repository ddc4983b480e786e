import HLS
import MediaCache

/// The segments of one media playlist by URL, in little memory: a playlist may have a hundred thousand.
struct StreamIndex: Sendable {
    private struct Entry {
        /// Where the URI stands in `bytes`.
        var lower: Int32
        var upper: Int32
        var isWholeResource: Bool
    }

    /// The hash of a segment's URL, and its place among `entries`.
    private struct Name {
        var hash: UInt64
        var index: Int32
    }

    let url: ResourceURL
    let base: ResourceURL
    /// What segments are called where that isn't what is written: variables are in it.
    private var substituted: [Int: String] = [:]
    private let bytes: [UInt8]
    private let variables: [String: String]
    private var entries: [Entry] = []
    /// Sorted by hash; of equal ones the newest comes last.
    private var names: [Name] = []
    private var sequences: [SegmentPlace.Sequence] = []

    /// Reads the segments of `playlist`.
    init(_ playlist: LoadedPlaylist, variables: [String: String]) {
        url = playlist.url
        base = playlist.base
        bytes = playlist.bytes
        self.variables = variables
        let hashes = ReferenceHash(base: base)
        let context = PlaylistContext(playlistURL: base.description, importableVariables: variables)
        let isLive = playlist.isLive
        var number = isLive ? Self.firstMediaSequence(bytes) : 0
        var part = 0
        var end = 0
        PlaylistReferences(context: context).forEach(in: bytes) { reference in
            switch reference.role {
            case .mediaSegment:
                // What is said of the segment stands between the one before and its URI.
                let isPart = Self.hasRangeOrGap(bytes, end..<reference.bytes.lowerBound)
                add(reference, hashes, isWholeResource: !isPart, isLive ? .init(number: number) : nil)
                end = reference.bytes.upperBound
                number &+= 1
                part = 0
            case .partialSegment where isLive:
                part += 1
                add(reference, hashes, isWholeResource: false, .init(number: number, part: part))
            default: break
            }
        }
        names.sort { ($0.hash, $0.index) < ($1.hash, $1.index) }
    }

    /// Whether this is what reading `playlist` would give.
    func isOf(_ playlist: LoadedPlaylist, variables: [String: String]) -> Bool {
        base == playlist.base && self.variables == variables && bytes == playlist.bytes
    }

    private mutating func add(
        _ reference: Reference, _ hashes: ReferenceHash, isWholeResource: Bool, _ sequence: SegmentPlace.Sequence?
    ) {
        guard let hash = hashes.hash(of: reference.uri), let index = Int32(exactly: entries.count),
            let upper = Int32(exactly: reference.bytes.upperBound)
        else { return }
        if reference.hasVariables { substituted[entries.count] = reference.uri }
        names.append(Name(hash: hash, index: index))
        entries.append(
            Entry(lower: Int32(reference.bytes.lowerBound), upper: upper, isWholeResource: isWholeResource))
        if let sequence { sequences.append(sequence) }
    }

    /// Whether all its segments come before those of `earlier`, the same live playlist as it was: media sequence numbers
    /// never fall (RFC 8216bis §6.2.2), so they are counted anew. A window that overlaps is an older view of the same.
    func isReset(of earlier: StreamIndex) -> Bool {
        guard let last = sequences.last, let first = earlier.sequences.first else { return false }
        return last.number < first.number
    }

    /// Where `url` comes. Where a name repeats, the newest counts.
    func place(of url: ResourceURL, playlist: Int) -> SegmentPlace? {
        let hash = ReferenceHash.hash(of: url)
        var (lower, upper) = (0, names.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if names[middle].hash <= hash { lower = middle + 1 } else { upper = middle }
        }
        guard lower > 0, names[lower - 1].hash == hash else { return nil }
        let index = Int(names[lower - 1].index)
        guard self.url(at: index) == url else { return nil }
        return SegmentPlace(
            sequence: sequences.isEmpty ? nil : sequences[index], isWholeResource: entries[index].isWholeResource,
            playlist: playlist, index: index)
    }

    /// The whole resources among the next `count` segments after the one at `index`.
    func following(_ index: Int, count: Int) -> [ResourceURL] {
        var urls: [ResourceURL] = []
        var seen = 0
        for next in entries.indices.dropFirst(index + 1) {
            guard seen < count else { break }
            if !sequences.isEmpty, sequences[next].part != 0 { continue }
            seen += 1
            if entries[next].isWholeResource, let url = url(at: next) { urls.append(url) }
        }
        return urls
    }

    private func url(at index: Int) -> ResourceURL? {
        let entry = entries[index]
        let uri =
            substituted[index] ?? String(decoding: bytes[Int(entry.lower)..<Int(entry.upper)], as: UTF8.self)
        return try? ResourceURL(URLReference.resolve(uri, against: base.description))
    }

    /// Whether a byte range or a gap is said of a segment by the lines before it.
    private static func hasRangeOrGap(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        bytes.withUnsafeBytes { bytes in
            let lines = UnsafeRawBufferPointer(rebasing: bytes[range])
            return lines.indices.contains { start in
                lines[start] == UInt8(ascii: "#")
                    && (lines[start...].starts(with: "#EXT-X-BYTERANGE".utf8)
                        || lines[start...].starts(with: "#EXT-X-GAP".utf8))
            }
        }
    }

    /// The number of the first segment: EXT-X-MEDIA-SEQUENCE, and those that a delta update leaves out.
    private static func firstMediaSequence(_ bytes: [UInt8]) -> Int {
        (try? PlaylistParser().parse(bytes))?.playlist.media?.firstMediaSequence ?? 0
    }
}
