/// In which order a playlist's tags were read, and which blank lines stood between them, so that they can be written so
/// again. It's no part of what the playlist says: any two are equal.
struct TagOrder: Sendable, Hashable {
    /// Past so many lines nothing more is noted.
    private static let limit = 4096

    /// The tags' names; empty for a blank line.
    private(set) var names: [String] = []

    static func == (_: TagOrder, _: TagOrder) -> Bool { true }

    func hash(into _: inout Hasher) {}

    /// Notes the next tag, or a blank line.
    mutating func note(_ name: String) {
        if names.count < Self.limit { names.append(name) }
    }

    /// Whether a tag was there.
    func has(_ tag: PlaylistTag) -> Bool { names.contains(tag.rawValue) }

    /// The lines of a playlist with those of the whole brought to where they stood among the others. The others stay in
    /// the order that they're written in, which says what applies to what. A tag that wasn't there follows the one that
    /// it follows in `written`.
    ///
    /// - Parameters:
    ///   - written: lines of tags, and URIs, which stay behind their tags.
    ///   - kind: of which kind of playlist: in the other one's place a tag is like one that nobody knows.
    func arranged(_ written: ArraySlice<UInt8>, _ kind: PlaylistKind) -> [UInt8] {
        guard !names.isEmpty else { return Array(written) }
        var places: [String: ArraySlice<Int>] = [:]
        var blanks: [Int] = []
        for (place, name) in names.enumerated() {
            if name.isEmpty { blanks.append(place) } else { places[Self.key(name, kind), default: []].append(place) }
        }
        var pieces: [(place: Int, bytes: ArraySlice<UInt8>)] = []
        var previous = 0
        for line in Self.lines(written) {
            if let name = Self.name(of: line) {
                previous = places[Self.key(name, kind)]?.popFirst() ?? previous
            }
            pieces.append((previous, line))
        }
        pieces += blanks.map { ($0, [.lineFeed]) }
        let order = pieces.indices.sorted { (pieces[$0].place, $0) < (pieces[$1].place, $1) }
        return order.flatMap { pieces[$0].bytes }
    }

    /// What tags are told apart by: those of the whole by name, the others not at all.
    private static func key(_ name: String, _ kind: PlaylistKind) -> String {
        switch PlaylistTag(rawValue: name) {
        case .header, .version, .independentSegments, .start, .define: name
        case .targetDuration, .mediaSequence, .discontinuitySequence, .playlistType, .iFramesOnly, .partInformation,
            .serverControl, .skip, .endList:
            kind == .media ? name : ""
        default: ""
        }
    }

    /// The lines, each with its line feed.
    private static func lines(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = bytes
        while let end = rest.firstIndex(of: .lineFeed) {
            lines.append(rest[...end])
            rest = rest[(end + 1)...]
        }
        if !rest.isEmpty { lines.append(rest) }
        return lines
    }

    /// The name of the tag on a line; nil if it is a URI's.
    private static func name(of line: ArraySlice<UInt8>) -> String? {
        guard line.first == .numberSign else { return nil }
        let name = line.dropFirst().prefix { $0 != .colon && $0 != .lineFeed }
        return String(decoding: name, as: UTF8.self)
    }
}
