internal import HLS

/// The JSON record of a playlist. Durations are in seconds.
struct PlaylistRecord: Encodable, Sendable {
    private let playlist: Playlist
    private let variables: [String: String]
    private let unknownTags: [UnknownTagRecord]
    private let diagnostics: [DiagnosticRecord]

    init(_ inspection: PlaylistInspection) {
        playlist = inspection.parsed.playlist
        variables = inspection.variables
        unknownTags = inspection.unknownTags.map(UnknownTagRecord.init)
        diagnostics = inspection.diagnostics.map(DiagnosticRecord.init)
    }

    private enum CodingKeys: String, CodingKey {
        case kind, unknownTags, diagnostics, segments
    }

    func encode(to encoder: any Encoder) throws {
        var tags = playlist.tagRecords
        // The values of variables, including imported ones, replace their definitions.
        tags["variables"] = .object(variables.mapValues { .string($0) })
        try tags.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(playlist.kind.rawValue, forKey: .kind)
        try container.encode(unknownTags, forKey: .unknownTags)
        try container.encode(diagnostics, forKey: .diagnostics)
        guard let media = playlist.media else { return }
        var ranges = PartByteRanges()
        var segments = container.nestedUnkeyedContainer(forKey: .segments)
        for segment in media.resolvedSegments { try segments.encode(segment.record(&ranges)) }
        try media.segmentTagRecords(&ranges).encode(to: encoder)
    }
}

/// A diagnostic. Line 0 means the whole playlist.
private struct DiagnosticRecord: Encodable, Sendable {
    let line: Int
    let severity: String
    let rule: String
    let message: String

    init(_ diagnostic: Diagnostic) {
        line = diagnostic.line
        severity = diagnostic.severity.rawValue
        rule = diagnostic.rule.description
        message = diagnostic.message
    }
}

/// A tag that RFC 8216bis doesn't define.
private struct UnknownTagRecord: Encodable, Sendable {
    let line: Int
    let tag: String
    @Nullable var value: String?

    init(_ tag: UnknownTag) {
        line = tag.line
        self.tag = tag.name
        value = tag.value
    }
}

/// An optional value that is encoded as null if it's nil, so that every key of an object is present.
@propertyWrapper
package struct Nullable<Value: Encodable & Sendable>: Encodable, Sendable {
    package var wrappedValue: Value?

    package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    package func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension String {
    /// The text; nil if it's empty. The playlist model represents an absent text by an empty one.
    var unlessEmpty: String? { isEmpty ? nil : self }
}
