/// The tags that playlists of both kinds may have (RFC 8216bis, sections 4.4.1 and 4.4.2).
struct CommonTags {
    var version: Int?
    var variables: [VariableDefinition] = []
    var hasIndependentSegments = false
    var start: StartPoint?

    mutating func read(_ tag: PlaylistTag, _ value: Range<Int>, _ reader: inout TagReader) throws(PlaylistError) {
        switch tag {
        case .version: version = try reader.integer(tag, value).flatMap { $0 < 1 ? nil : $0 } ?? version
        case .independentSegments: hasIndependentSegments = true
        case .start: start = StartPoint(attributes: try reader.attributes(tag, value, StartPoint.rules))
        case .define: try define(value, &reader)
        default: break
        }
    }

    private mutating func define(_ value: Range<Int>, _ reader: inout TagReader) throws(PlaylistError) {
        let definition = VariableDefinition(attributes: AttributeList(reader.bytes, value, substituting: nil))
        variables.append(definition)
        switch reader.variables.define(definition) {
        case .none: break
        case .noName: try reader.report(.error, .define, "name", "EXT-X-DEFINE names no variable.")
        case .alreadyDefined(let name):
            try reader.report(.error, .define, "duplicate", "The variable \(name) is defined already.")
        case .notImportable(let name):
            try reader.report(.error, .define, "import", "The multivariant playlist defines no variable \(name).")
        case .noQueryItem(let name):
            try reader.report(.error, .define, "query", "The playlist's URL has no value for \(name).")
        case .undefinedReference(let name):
            try reader.report(.error, "4.3", "undefined", "The variable \(name) isn't defined.")
        case .tooLarge: try reader.report(.error, .define, "size", "The variables are too long.")
        }
    }
}
