/// Builds a multivariant playlist from its lines.
struct MultivariantPlaylistParser {
    private var playlist = MultivariantPlaylist()
    private var common = CommonTags()
    private var pending: VariantStream?

    mutating func parse(_ reader: inout TagReader) throws(PlaylistError) -> MultivariantPlaylist {
        while let content = try reader.next() {
            switch content {
            case .tag(let tag, let value): try self.tag(tag, value, &reader)
            case .uri(let range): try uriLine(range, &reader)
            case .unknown(let name, let value): playlist.entries.append(.unknown(reader.unknownTag(name, value)))
            }
        }
        try finishVariant(&reader)
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
            pending = VariantStream(attributes: try reader.attributes(tag, value, VariantStream.rules))
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
                .unknown(UnknownTag(name: tag.rawValue, value: reader.text(value), line: reader.line.number)))
        }
    }

    private mutating func uriLine(_ range: Range<Int>, _ reader: inout TagReader) throws(PlaylistError) {
        if pending == nil {
            try reader.report(.error, .streamInformation, "missing", "The URI follows no EXT-X-STREAM-INF.")
        }
        var variant = pending ?? VariantStream(attributes: AttributeList())
        variant.uri = try reader.uri(range)
        playlist.entries.append(.variant(variant))
        pending = nil
    }

    private mutating func finishVariant(_ reader: inout TagReader) throws(PlaylistError) {
        guard let variant = pending else { return }
        try reader.report(.error, .streamInformation, "uri", "No URI follows the last EXT-X-STREAM-INF.")
        playlist.entries.append(.variant(variant))
        pending = nil
    }
}
