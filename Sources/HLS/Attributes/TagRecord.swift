/// A JSON record of a tag, with a key for each attribute in the tag's definition: `averageBandwidth` for
/// AVERAGE-BANDWIDTH. The value of an attribute that is absent or can't be converted is the default of its rule, false
/// for a flag, an empty list, or null. Some records also have `otherAttributes`, an object with the texts of attributes
/// that the definition doesn't list.
package struct TagRecord: Encodable, Sendable, Hashable {
    /// A JSON value.
    package enum Value: Encodable, Sendable, Hashable {
        case null
        case flag(Bool)
        case integer(Int)
        case number(Double)
        case string(String)
        case list([String])
        case object([String: Value])
        case record(TagRecord)
        case records([TagRecord])

        static func bytes(_ range: Range<Int>) -> Value {
            .object(["length": .integer(range.count), "offset": .integer(range.lowerBound)])
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .null: try container.encodeNil()
            case .flag(let flag): try container.encode(flag)
            case .integer(let number): try container.encode(number)
            case .number(let number): try container.encode(number)
            case .string(let text): try container.encode(text)
            case .list(let items): try container.encode(items)
            case .object(let members): try container.encode(members)
            case .record(let record): try container.encode(record)
            case .records(let records): try container.encode(records)
            }
        }
    }

    private var values: [String: Value] = [:]

    fileprivate init() {}

    init(_ tag: PlaylistTag, _ attributes: AttributeList) {
        let rules = tag.definition.recordedAttributes
        for rule in rules { values[rule.name.recordKey] = Value(attributes, rule) }
        guard tag.definition.recordsOtherAttributes else { return }
        let known = Set(rules.map(\.name))
        var others: [String: Value] = [:]
        for attribute in attributes.attributes where !known.contains(attribute.name) {
            others[attribute.name.rawValue] = .string(attribute.value.text)
        }
        values["otherAttributes"] = .object(others)
    }

    subscript(key: String) -> Value? {
        get { values[key] }
        set { values[key] = newValue }
    }

    package func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
}

// MARK: - Playlists

extension Playlist {
    /// The JSON values of the playlist-level tags by key. Absent tags have null, false, zero or an empty list.
    package var tagRecords: [String: TagRecord.Value] {
        switch self {
        case .media(let playlist): playlist.tagRecords
        case .multivariant(let playlist): playlist.tagRecords
        }
    }

    /// The keys of ``tagRecords`` that both kinds of playlist have. The keys of a value follow in parentheses.
    package static var recordKeys: [String] {
        CommonTags.fields.map { tag, field in tag.describe(field.key, field.details) }
    }
}

extension MediaPlaylist {
    fileprivate var tagRecords: [String: TagRecord.Value] {
        var values = common.tagRecords
        for (tag, field) in Self.fields { values[field.key] = field.value(self, tag) }
        return values
    }

    /// Returns the JSON values of segment tags for the whole playlist, by key.
    ///
    /// - Parameter ranges: The byte ranges of the parts of all segments.
    package func segmentTagRecords(_ ranges: inout PartByteRanges) -> [String: TagRecord.Value] {
        var values: [String: TagRecord.Value] = [:]
        for tag in PlaylistTag.allCases {
            for key in tag.definition.playlistKeys { values[key.name] = key.value(self, tag, &ranges) }
        }
        return values
    }

    /// The keys of JSON records that only media playlists have. The keys of a value follow in parentheses.
    package static var recordKeys: [String] {
        let segment = ResolvedSegment.recordKeys.joined(separator: ", ")
        return fields.map { tag, field in tag.describe(field.key, field.details) } + ["segments (\(segment))"]
            + PlaylistTag.allCases.flatMap { tag in
                tag.definition.playlistKeys.map { tag.describe($0.name, $0.details) }
            }
    }

    private static var fields: [(tag: PlaylistTag, field: TagField<MediaPlaylist>)] {
        PlaylistTag.allCases.compactMap { tag in
            if case .mediaPlaylist(let field, _) = tag.definition.place { (tag, field) } else { nil }
        }
    }
}

extension ResolvedSegment {
    private static let tagKeys = PlaylistTag.allCases.flatMap { tag in
        tag.definition.segmentKeys.map { (tag: tag, key: $0) }
    }

    /// Returns the JSON record of the segment.
    ///
    /// - Parameter ranges: The byte ranges of the parts of earlier segments.
    package func record(_ ranges: inout PartByteRanges) -> TagRecord {
        var record = TagRecord()
        record["uri"] = segment.uri.isEmpty ? .null : .string(segment.uri)
        record["mediaSequence"] = .integer(mediaSequence)
        record["discontinuitySequence"] = .integer(discontinuitySequence)
        for (tag, key) in Self.tagKeys { record[key.name] = key.value(self, tag, &ranges) }
        return record
    }

    fileprivate static var recordKeys: [String] {
        ["uri", "mediaSequence", "discontinuitySequence"] + tagKeys.map { $0.describe($1.name, $1.details) }
    }
}

extension MultivariantPlaylist {
    fileprivate var tagRecords: [String: TagRecord.Value] {
        var values = common.tagRecords
        for (tag, field) in Self.fields {
            let records = entries.compactMap { $0.record(as: tag) }
            values[field.key] = field.isSingle ? records.first.map { .record($0) } ?? .null : .records(records)
        }
        return values
    }

    /// The keys of JSON records that only multivariant playlists have. The keys of a value follow in parentheses.
    package static var recordKeys: [String] {
        fields.map { tag, field in tag.describe(field.key, field.details) }
    }

    private static var fields: [(tag: PlaylistTag, field: EntryField)] {
        PlaylistTag.allCases.compactMap { tag in
            if case .multivariantPlaylist(let field) = tag.definition.place { (tag, field) } else { nil }
        }
    }
}

extension MultivariantPlaylist.Entry {
    /// Returns the JSON record of the entry, including the URI of a variant stream; nil for an entry of another tag.
    fileprivate func record(as tag: PlaylistTag) -> TagRecord? {
        guard let content, content.tag == tag else { return nil }
        var attributes = content.attributes
        if case .variant(let variant) = self { attributes.setQuoted(variant.uri, for: .uri) }
        return TagRecord(tag, attributes)
    }
}

extension CommonTags {
    fileprivate var tagRecords: [String: TagRecord.Value] {
        var values: [String: TagRecord.Value] = [:]
        for (tag, field) in Self.fields { values[field.key] = field.value(self, tag) }
        return values
    }

    fileprivate static var fields: [(tag: PlaylistTag, field: TagField<CommonTags>)] {
        PlaylistTag.allCases.compactMap { tag in
            if case .anyPlaylist(let field) = tag.definition.place { (tag, field) } else { nil }
        }
    }
}

extension PlaylistTag {
    /// Returns a key, followed by the keys of its value in parentheses: `details`, or those of the tag's attributes.
    fileprivate func describe(_ key: String, _ details: [String]?) -> String {
        var keys = details ?? definition.recordedAttributes.map(\.recordKey)
        if details == nil, definition.recordsOtherAttributes { keys.append("otherAttributes") }
        return keys.isEmpty || keys == [key] ? key : "\(key) (\(keys.joined(separator: ", ")))"
    }
}

extension AttributeRule {
    /// The key of the attribute, followed by the keys of its value in parentheses.
    fileprivate var recordKey: String {
        switch type {
        case .resolution: name.recordKey + " (width, height)"
        case .quotedByteRange: name.recordKey + " (length, offset)"
        default: name.recordKey
        }
    }
}

// MARK: - Attributes

extension TagRecord.Value {
    fileprivate init(_ attributes: AttributeList, _ rule: AttributeRule) {
        let name = rule.name
        let value: TagRecord.Value? =
            switch rule.type {
            case .quoted, .hexadecimal, .enumerated, .anyEnumerated, .quotedDate, .any:
                // An empty reference counts as absent.
                attributes.text(name).flatMap { $0.isEmpty && name.isReference ? nil : .string($0) }
            case .quotedTabList: .list(attributes.text(name)?.split(separator: "\t").map(String.init) ?? [])
            case .integer: attributes.integer(name).map { .integer($0) }
            case .decimal, .signedDecimal: attributes.decimal(name).map { .number($0.doubleValue) }
            case .flag, .yes: .flag(attributes.flag(name) ?? false)
            case .resolution:
                attributes.resolution(name).map {
                    .object(["width": .integer($0.width), "height": .integer($0.height)])
                }
            case .quotedByteRange:
                attributes.byteRange(name).map {
                    .object(["length": .integer($0.length), "offset": .integer($0.offset ?? 0)])
                }
            }
        self = value ?? rule.absent ?? .null
    }
}

extension AttributeName {
    fileprivate var isReference: Bool { self == .uri || self == .serverURI }

    fileprivate var recordKey: String {
        let words = rawValue.split(separator: "-").map(String.init)
        return words.enumerated().map { index, word in
            if index > 0, ["CPC", "ID", "MSN", "URI"].contains(word) { return word }
            let written: String =
                switch word {
                case "BYTERANGE": "ByteRange"
                case "DATERANGES": "DateRanges"
                case "KEYFORMAT": "KeyFormat"
                case "KEYFORMATVERSIONS": "KeyFormatVersions"
                default: String(word.prefix(1)) + word.dropFirst().lowercased()
                }
            return index > 0 ? written : written.prefix(1).lowercased() + written.dropFirst()
        }.joined()
    }
}
