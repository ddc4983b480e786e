/// Builds a multivariant playlist from its lines.
struct MultivariantPlaylistParser {
    private var playlist = MultivariantPlaylist()
    private var common = CommonTags()
    /// The place of the variant stream that waits for its URI.
    private var pending: Int?

    mutating func parse(_ reader: inout TagReader) throws(PlaylistError) -> MultivariantPlaylist {
        while let content = try reader.next() {
            switch content {
            case .tag(let tag, let value): try self.tag(tag, value, &reader)
            case .uri(let range): try uriLine(range, &reader)
            case .unknown(let name, let value): playlist.entries.append(.unknown(reader.unknownTag(name, value)))
            }
        }
        try finishVariant(&reader)
        playlist.tagOrder = reader.order
        playlist.version = common.version
        playlist.variables = common.variables
        playlist.hasIndependentSegments = common.hasIndependentSegments
        playlist.start = common.start
        try reader.finish()
        try MultivariantPlaylistRules.check(playlist, &reader)
        return playlist
    }

    private mutating func tag(
        _ tag: PlaylistTag, _ value: Range<Int>, _ reader: inout TagReader
    ) throws(PlaylistError) {
        switch tag {
        case .version, .independentSegments, .start, .define:
            try common.read(tag, value, &reader)
        case .streamInformation:
            try finishVariant(&reader)
            let variant = VariantStream(attributes: try reader.attributes(tag, value, VariantStream.rules))
            pending = playlist.entries.count
            playlist.entries.append(.variant(variant))
        case .media:
            playlist.entries.append(
                .rendition(Rendition(attributes: try reader.attributes(tag, value, Rendition.rules))))
        case .iFrameStreamInformation:
            playlist.entries.append(
                .iFrameStream(IFrameStream(attributes: try reader.attributes(tag, value, IFrameStream.rules))))
        case .sessionData:
            playlist.entries.append(
                .sessionData(SessionData(attributes: try reader.attributes(tag, value, SessionData.rules))))
        case .sessionKey:
            let key = EncryptionKey(attributes: try reader.attributes(tag, value, EncryptionKey.rules))
            if key.method == .none { try reader.report(.error, tag, "method", "A session key's method can't be NONE.") }
            try KeyRules.check(key, tag, &reader)
            playlist.entries.append(.sessionKey(key))
        case .contentSteering:
            playlist.entries.append(
                .contentSteering(ContentSteering(attributes: try reader.attributes(tag, value, ContentSteering.rules))))
        default:
            try reader.report(.error, tag, "place", "\(tag.rawValue) stands in a multivariant playlist.")
            playlist.entries.append(
                .unknown(reader.misplacedTag(tag, value)))
        }
    }

    private mutating func uriLine(_ range: Range<Int>, _ reader: inout TagReader) throws(PlaylistError) {
        let uri = try reader.uri(range)
        if let place = pending, case .variant(var variant) = playlist.entries[place] {
            variant.uri = uri
            playlist.entries[place] = .variant(variant)
            pending = nil
        } else {
            try reader.report(.error, .streamInformation, "missing", "The URI follows no EXT-X-STREAM-INF.")
            playlist.entries.append(.variant(VariantStream(attributes: AttributeList(), uri: uri)))
        }
    }

    private mutating func finishVariant(_ reader: inout TagReader) throws(PlaylistError) {
        guard pending != nil else { return }
        try reader.report(.error, .streamInformation, "uri", "No URI follows the last EXT-X-STREAM-INF.")
        pending = nil
    }
}
