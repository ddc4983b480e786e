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

    let url: ResourceURL
    let base: ResourceURL
    /// What segments are called where that isn't what is written: variables are in it.
    private var substituted: [Int: String] = [:]
    private let bytes: [UInt8]
    private var entries: [Entry] = []
    private var indexByURL: [Int: Int32] = [:]
    private var sequences: [SegmentPlace.Sequence] = []

    /// Reads the segments of `playlist`.
    init(_ playlist: LoadedPlaylist, variables: [String: String]) {
        url = playlist.url
        base = playlist.base
        bytes = playlist.bytes
        let context = PlaylistContext(playlistURL: base.description, importableVariables: variables)
        let isLive = playlist.isLive
        var number = isLive ? Self.firstMediaSequence(bytes) : 0
        var part = 0
        var end = 0
        PlaylistReferences(context: context).forEach(in: bytes) { reference in
            switch reference.role {
            case .mediaSegment:
                // What is said of the segment stands between the one before and its URI.
                let tags = bytes[end..<reference.bytes.lowerBound]
                let isPart = Self.contains("#EXT-X-BYTERANGE", in: tags) || Self.contains("#EXT-X-GAP", in: tags)
                add(reference, isWholeResource: !isPart, isLive ? .init(number: number, part: 0) : nil)
                end = reference.bytes.upperBound
                number &+= 1
                part = 0
            case .partialSegment where isLive:
                part += 1
                add(reference, isWholeResource: false, .init(number: number, part: part))
            default: break
            }
        }
    }

    private mutating func add(_ reference: Reference, isWholeResource: Bool, _ sequence: SegmentPlace.Sequence?) {
        guard let url = try? ResourceURL(URLReference.resolve(reference.uri, against: base.description)),
            let upper = Int32(exactly: reference.bytes.upperBound)
        else { return }
        if reference.hasVariables { substituted[entries.count] = reference.uri }
        // The last of a name counts: where one repeats, that is the newest.
        indexByURL[url.hashValue] = Int32(entries.count)
        entries.append(
            Entry(lower: Int32(reference.bytes.lowerBound), upper: upper, isWholeResource: isWholeResource))
        if let sequence { sequences.append(sequence) }
    }

    func place(of url: ResourceURL, playlist: Int) -> SegmentPlace? {
        guard let index = indexByURL[url.hashValue].map(Int.init), self.url(at: index) == url else { return nil }
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

    private static func contains(_ tag: StaticString, in bytes: ArraySlice<UInt8>) -> Bool {
        let word = UnsafeBufferPointer(start: tag.utf8Start, count: tag.utf8CodeUnitCount)
        return bytes.withUnsafeBytes { bytes in
            guard bytes.count >= word.count else { return false }
            return (0...bytes.count - word.count).contains { start in
                bytes[start] == word[0] && bytes[start..<start + word.count].elementsEqual(word)
            }
        }
    }

    /// The number of the first segment: EXT-X-MEDIA-SEQUENCE, and those that a delta update leaves out.
    private static func firstMediaSequence(_ bytes: [UInt8]) -> Int {
        (try? PlaylistParser().parse(bytes))?.playlist.media?.firstMediaSequence ?? 0
    }
}
