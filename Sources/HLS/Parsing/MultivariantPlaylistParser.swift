/// A parser of a multivariant playlist's lines.
struct MultivariantPlaylistParser {
    var playlist = MultivariantPlaylist()
    /// The index of the variant stream whose URI hasn't been read.
    var pendingVariant: Int?

    mutating func parse(_ reader: inout LineReader) throws(PlaylistError) -> MultivariantPlaylist {
        while let content = try reader.next() {
            switch content {
            case .segmentDuration(let value): try appendMisplaced(.init(tag: .segment, value: value), &reader)
            case .tag(let item): try readTag(item, &reader)
            case .uri(let range): try readURI(range, &reader)
            case .unknown(let name, let value): playlist.entries.append(.unknown(reader.unknownTag(name, value)))
            }
        }
        try reportMissingURI(&reader)
        try reader.finish()
        try check(&reader)
        return playlist
    }

    private mutating func readTag(_ item: LineReader.Item, _ reader: inout LineReader) throws(PlaylistError) {
        switch item.tag.definition.place {
        case .multivariantPlaylist(let field): try field.read(&self, item, &reader)
        case .anyPlaylist(let field): try reader.read(item, field, into: &playlist.common)
        case .mediaPlaylist, .mediaSegment: try appendMisplaced(item, &reader)
        case .firstLine: break
        }
    }

    private mutating func appendMisplaced(
        _ item: LineReader.Item, _ reader: inout LineReader
    ) throws(PlaylistError) {
        try reader.report(.error, item.tag, "place", "\(item.tag) isn't allowed in a multivariant playlist.")
        playlist.entries.append(.unknown(reader.misplacedTag(item)))
    }

    private mutating func readURI(_ range: Range<Int>, _ reader: inout LineReader) throws(PlaylistError) {
        let uri = try reader.uri(range)
        if let index = pendingVariant, case .variant(var variant) = playlist.entries[index] {
            variant.uri = uri
            playlist.entries[index] = .variant(variant)
            pendingVariant = nil
        } else {
            try reader.report(.error, .streamInformation, "missing", "The URI doesn't follow an EXT-X-STREAM-INF.")
            playlist.entries.append(.variant(VariantStream(attributes: AttributeList(), uri: uri)))
        }
    }

    /// Reports that the pending variant stream, if there is one, has no URI.
    mutating func reportMissingURI(_ reader: inout LineReader) throws(PlaylistError) {
        guard pendingVariant != nil else { return }
        try reader.report(.error, .streamInformation, "uri", "No URI follows the last EXT-X-STREAM-INF.")
        pendingVariant = nil
    }

    // MARK: - The end of the playlist

    private struct Group: Hashable {
        var type: RenditionType?
        var id: String
    }

    private func check(_ reader: inout LineReader) throws(PlaylistError) {
        try reader.checkVersion(playlist.version, required: playlist.requiredVersion)
        let groups = Set(playlist.renditions.map { Group(type: $0.type, id: $0.groupID) })
        for variant in playlist.variants {
            for type in RenditionType.allCases {
                guard let id = variant.group(type), !groups.contains(Group(type: type, id: id)) else { continue }
                try reader.report(
                    .error, .streamInformation, "group", line: 0,
                    "A variant stream refers to the \(type.rawValue) group \(id), which has no renditions.")
            }
        }
    }
}
