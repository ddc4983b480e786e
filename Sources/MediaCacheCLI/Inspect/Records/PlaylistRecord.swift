import HLS

/// What `inspect --json` prints: what playlists of both kinds have, and beside it, in the same object, what its kind
/// has.
struct PlaylistRecord: Encodable, Sendable {
    /// What one kind has.
    enum Content: Sendable {
        /// A list of media segments.
        case media(MediaPlaylistRecord)
        /// A list of variant streams and renditions.
        case multivariant(MultivariantPlaylistRecord)
    }

    /// `media` or `multivariant`.
    var kind: PlaylistKind
    /// The protocol version that the playlist declares.
    var version: Int?
    /// Whether every segment starts with an independent frame.
    var independentSegments: Bool
    /// Where to start playing.
    var start: StartRecord?
    /// The variables' values by name.
    var variables: [String: String]
    /// What its kind has.
    var content: Content
    /// The tags that RFC 8216bis doesn't define, by line.
    var unknownTags: [UnknownTagRecord]
    /// The findings, by line.
    var diagnostics: [DiagnosticRecord]

    /// The record of a playlist.
    init(_ inspection: Inspection) {
        let playlist = inspection.parsed.playlist
        kind = playlist.kind
        variables = inspection.parsed.variables
        unknownTags = inspection.unknownTags.map(UnknownTagRecord.init)
        diagnostics = inspection.diagnostics.map(DiagnosticRecord.init)
        switch playlist {
        case .media(let media):
            version = media.version
            independentSegments = media.hasIndependentSegments
            start = media.start.map(StartRecord.init)
            content = .media(MediaPlaylistRecord(media))
        case .multivariant(let multivariant):
            version = multivariant.version
            independentSegments = multivariant.hasIndependentSegments
            start = multivariant.start.map(StartRecord.init)
            content = .multivariant(MultivariantPlaylistRecord(multivariant))
        }
    }

    private enum CodingKeys: String, CodingKey {
        case kind
        case version
        case independentSegments
        case start
        case variables
        case unknownTags
        case diagnostics
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind.rawValue, forKey: .kind)
        try container.encode(version, forKey: .version)
        try container.encode(independentSegments, forKey: .independentSegments)
        try container.encode(start, forKey: .start)
        try container.encode(variables, forKey: .variables)
        try container.encode(unknownTags, forKey: .unknownTags)
        try container.encode(diagnostics, forKey: .diagnostics)
        switch content {
        case .media(let record): try record.encode(to: encoder)
        case .multivariant(let record): try record.encode(to: encoder)
        }
    }
}
