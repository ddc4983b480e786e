/// The order in which the tags and blank lines of a playlist were read. It isn't part of the playlist's content, so any
/// two orders are equal.
struct TagOrder: Sendable, Hashable {
    private static let limit = 4096

    /// The names of the tags; empty for a blank line.
    private(set) var names: [String] = []

    var tags: Set<PlaylistTag> { Set(names.compactMap { PlaylistTag(rawValue: $0) }) }

    static func == (_: TagOrder, _: TagOrder) -> Bool { true }

    func hash(into _: inout Hasher) {}

    mutating func append(_ name: String) {
        if names.count < Self.limit { names.append(name) }
    }

    /// Returns the lines of a playlist, with playlist-level tags moved to the positions at which they were read.
    ///
    /// All other lines stay in the order of `written`, which determines what they apply to. A URI, or a tag that wasn't
    /// read, stays after the line that precedes it. Tags of the other kind are treated like unknown tags.
    func arranged(_ written: ArraySlice<UInt8>, _ kind: PlaylistKind) -> [UInt8] {
        guard !names.isEmpty else { return Array(written) }
        var positions: [String: ArraySlice<Int>] = [:]
        var blanks: [Int] = []
        for (position, name) in names.enumerated() {
            if name.isEmpty {
                blanks.append(position)
            } else {
                positions[Self.key(name, kind), default: []].append(position)
            }
        }
        var pieces: [(position: Int, bytes: ArraySlice<UInt8>)] = []
        var previous = 0
        for line in Self.lines(written) {
            if let name = Self.name(of: line) {
                previous = positions[Self.key(name, kind)]?.popFirst() ?? previous
            }
            pieces.append((previous, line))
        }
        pieces += blanks.map { ($0, [.lineFeed]) }
        let order = pieces.indices.sorted { (pieces[$0].position, $0) < (pieces[$1].position, $1) }
        return order.flatMap { pieces[$0].bytes }
    }

    /// Returns the key of a tag in `positions`: the name for a playlist-level tag, and a shared key for all other tags.
    private static func key(_ name: String, _ kind: PlaylistKind) -> String {
        switch PlaylistTag(rawValue: name)?.definition.place {
        case .firstLine, .anyPlaylist: name
        case .mediaPlaylist(let field, _): field.isUnique && kind == .media ? name : ""
        case .mediaSegment, .multivariantPlaylist, nil: ""
        }
    }

    /// Returns the lines with their line feeds.
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

    /// Returns the name of the tag on a line; nil for a URI.
    private static func name(of line: ArraySlice<UInt8>) -> String? {
        guard line.first == .numberSign else { return nil }
        let name = line.dropFirst().prefix { $0 != .colon && $0 != .lineFeed }
        return String(decoding: name, as: UTF8.self)
    }
}
