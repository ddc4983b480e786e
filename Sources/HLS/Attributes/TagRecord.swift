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

        package static func bytes(_ range: Range<Int>) -> Value {
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

    package init(_ tag: PlaylistTag, _ attributes: AttributeList) {
        let definition = tag.definition
        self.init(attributes, rules: definition.attributes, includingOthers: definition.recordsOtherAttributes)
    }

    init(_ attributes: AttributeList, rules: [AttributeRule], includingOthers includesOthers: Bool) {
        for rule in rules { values[rule.name.recordKey] = Value(attributes, rule) }
        guard includesOthers else { return }
        let known = Set(rules.map(\.name))
        var others: [String: Value] = [:]
        for attribute in attributes.attributes where !known.contains(attribute.name) {
            others[attribute.name.rawValue] = .string(attribute.value.text)
        }
        values["otherAttributes"] = .object(others)
    }

    package subscript(key: String) -> Value? {
        get { values[key] }
        set { values[key] = newValue }
    }

    package func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
}

extension MediaPlaylist {
    /// The JSON values of the playlist-level tags by key. Absent tags have null, false, zero or an empty list.
    package var tagRecords: [String: TagRecord.Value] {
        var values = common.tagRecords
        for (tag, field) in Self.fields { values[field.key] = field.value(self, tag) }
        return values
    }

    /// The keys of ``tagRecords`` that are specific to media playlists. For a tag with attributes, the keys of its
    /// record follow in parentheses.
    package static var recordKeys: [String] {
        fields.map { tag, field in
            let keys = tag.definition.attributes.map(\.name.recordKey)
            return keys.isEmpty || keys == [field.key] ? field.key : "\(field.key) (\(keys.joined(separator: ", ")))"
        }
    }

    private static var fields: [(tag: PlaylistTag, field: TagField<MediaPlaylist>)] {
        PlaylistTag.allCases.compactMap { tag in
            if case .mediaPlaylist(let field, _) = tag.definition.place { (tag, field) } else { nil }
        }
    }
}

extension MultivariantPlaylist {
    /// The JSON values of the tags that both kinds of playlist share, by key.
    package var tagRecords: [String: TagRecord.Value] { common.tagRecords }
}

extension CommonTags {
    fileprivate var tagRecords: [String: TagRecord.Value] {
        var values: [String: TagRecord.Value] = [:]
        for tag in PlaylistTag.allCases {
            if case .anyPlaylist(let field) = tag.definition.place { values[field.key] = field.value(self, tag) }
        }
        return values
    }
}

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
