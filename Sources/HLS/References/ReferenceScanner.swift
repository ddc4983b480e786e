/// A scanner that finds the references in a playlist's bytes, line by line.
struct ReferenceScanner {
    /// A reference, or text that may be one.
    enum Finding {
        case reference(Reference)
        /// The rest of a line in which only some players find a reference.
        case ambiguousText(Range<Int>)
    }

    private let bytes: UnsafeRawBufferPointer
    private var lines: LineScanner
    private var variables: VariableScope
    private var line = Line(start: 0, end: 0, next: 0, number: 0)
    private var attributes: AttributeListScanner?
    private var tag: PlaylistTag?
    private var tagName: Range<Int> = 0..<0
    private var list: Range<Int> = 0..<0
    /// The name suffix of URI attributes.
    private var uriName: StaticString = URIAttributes.uriName
    /// Whether the list contains a number sign, which may begin another tag.
    private var hasInnerTag = false
    /// Whether all players split the list identically; nil until computed.
    private var isUnambiguous: Bool?
    private var ambiguousText: Range<Int>?
    private var followsStreamInformation = false
    private let hasBraces: Bool
    /// The total length of text with substituted variables, in bytes.
    private var expandedLength = 0

    init(_ bytes: UnsafeRawBufferPointer, context: PlaylistContext) {
        self.bytes = bytes
        lines = LineScanner(bytes)
        variables = VariableScope(context: context)
        hasBraces = bytes.contains(.openBrace)
    }

    mutating func next() -> Finding? {
        while true {
            if let range = ambiguousText {
                ambiguousText = nil
                return .ambiguousText(range)
            }
            if let reference = nextAttribute() { return .reference(reference) }
            guard ambiguousText == nil else { continue }
            guard let line = lines.next() else { return nil }
            self.line = line
            let range = bytes.trimmed(line.start, line.end)
            guard let first = range.first else { continue }
            if bytes[first] >= 0x80, ReferenceScanner.trimmed(text(range).unicodeScalars).utf8.first == .numberSign {
                // hls.js reads the line as a tag, other players as a URI.
                return .ambiguousText(first..<line.end)
            }
            if bytes[first] != .numberSign { return .reference(uriLine(range)) }
            // Nearly all tags of a long playlist are EXTINF.
            if bytes.has(ReferenceScanner.segmentTag, at: range.lowerBound) {
                if let reference = segmentReference(range) { return .reference(reference) }
                findName(in: range)
            } else if !beginTag(range) {
                findName(in: range)
            }
        }
    }

    private static let segmentTag: StaticString = "#EXTINF:"

    /// Whether the playlist ends in an EXTINF without a line end.
    var endsInSegmentTag: Bool {
        line.end == bytes.count
            && bytes.has(ReferenceScanner.segmentTag, at: bytes.trimmed(line.start, line.end).lowerBound)
    }

    /// Returns a URL that follows the duration of EXTINF without a comma. hls.js reads it as the segment's URI.
    /// Relative references are ignored, since they resolve to the playlist's own origin.
    private mutating func segmentReference(_ range: Range<Int>) -> Reference? {
        var index = range.lowerBound + ReferenceScanner.segmentTag.utf8CodeUnitCount
        while index < range.upperBound, bytes[index].isBlank { index += 1 }
        while index < range.upperBound, bytes[index].isDigit { index += 1 }
        if index + 1 < range.upperBound, bytes[index] == .dot, bytes[index + 1].isDigit {
            index += 1
            while index < range.upperBound, bytes[index].isDigit { index += 1 }
        }
        guard index < range.upperBound, bytes[index] != .comma else { return nil }
        let rest = bytes.trimmed(index, range.upperBound)
        // Browsers remove tabs and treat a backslash as a slash.
        let written = text(rest).unicodeScalars.filter { $0 != "\t" }.map { $0 == "\\" ? "/" : $0 }
        switch URLReference.form(of: ReferenceScanner.trimmed(String.UnicodeScalarView(written))) {
        case .absolute, .networkPath: break
        case .rootRelative, .relativePath: return nil
        }
        return reference(.other(tag: "EXTINF"), rest, attribute: nil, isQuoted: false)
    }

    private mutating func uriLine(_ range: Range<Int>) -> Reference {
        let role: ReferenceRole = followsStreamInformation ? .variantStream : .mediaSegment
        followsStreamInformation = false
        var range = range
        // hls.js finds EXT-X-MEDIA anywhere on a line.
        if let mark = bytes.first(.numberSign, from: range.lowerBound, to: range.upperBound),
            URIAttributes.firstName(bytes, mark..<range.upperBound) != nil
        {
            ambiguousText = mark..<line.end
            range = range.lowerBound..<mark
        }
        return reference(role, range, attribute: nil, isQuoted: false)
    }

    /// Finds the name of a URI attribute in a line without an attribute list. The line is ambiguous from there on.
    private mutating func findName(in range: Range<Int>) {
        guard let name = URIAttributes.firstName(bytes, range) else { return }
        ambiguousText = name..<line.end
    }

    /// Begins the attribute list of a tag. Returns false for a line that no player reads as a tag with a value.
    private mutating func beginTag(_ range: Range<Int>) -> Bool {
        guard let tagLine = TagLine(bytes, range), let value = tagLine.value,
            !bytes[tagLine.name].contains(where: { $0.isBlank || $0 == .equals || $0 == .quote || $0 == .comma })
        else { return false }
        tag = PlaylistTag(bytes, tagLine.name)
        uriName = tag == .dateRange ? URIAttributes.assetURIName : URIAttributes.uriName
        tagName = tagLine.name
        list = value
        hasInnerTag = bytes.first(.numberSign, from: value.lowerBound, to: value.upperBound) != nil
        isUnambiguous = hasInnerTag ? false : nil
        switch tag {
        case .define:
            _ = variables.define(VariableDefinition(attributes: AttributeList(bytes, value, substituting: nil)))
        case .streamInformation:
            followsStreamInformation = true
        default:
            break
        }
        attributes = AttributeListScanner(bytes, value)
        return true
    }

    private mutating func nextAttribute() -> Reference? {
        while let item = attributes?.next(), let end = attributes?.position {
            let name = URIAttributes.name(bytes, item.name, uriName)
            var value = item.value
            let start = name == nil ? item.name.lowerBound : value.lowerBound
            if let position = ambiguousPosition(in: start..<end, of: item, isReference: name != nil) {
                ambiguousText = position..<line.end
                value = value.clamped(to: 0..<position)
                attributes = nil
            }
            if let name, !value.isEmpty {
                let role = tag?.definition.uris.first { $0.key == name }?.value
                return reference(
                    role ?? .other(tag: text(tagName)), value, attribute: name, isQuoted: item.isQuoted)
            }
        }
        attributes = nil
        return nil
    }

    /// Returns the position in an attribute at which some players find another reference; nil if there is none.
    private mutating func ambiguousPosition(
        in range: Range<Int>, of item: AttributeListScanner.Item, isReference: Bool
    ) -> Int? {
        var rest: Int?
        if isReference, item.isQuoted, item.isMalformed {
            rest = bytes.trimmed(min(item.value.upperBound + 1, range.upperBound), range.upperBound).first
        }
        if let name = URIAttributes.firstName(bytes, range, hasInnerTag ? URIAttributes.uriName : uriName) {
            let isPlain = isUnambiguous ?? AttributeListScanner.isUnambiguous(bytes, list)
            isUnambiguous = isPlain
            if !isPlain || !item.isQuoted || !item.value.contains(name) { return min(name, rest ?? name) }
        }
        return rest
    }

    private func text(_ range: Range<Int>) -> String { String(playlistBytes: bytes.part(range)) }

    private mutating func reference(
        _ role: ReferenceRole, _ range: Range<Int>, attribute: AttributeName?, isQuoted: Bool
    ) -> Reference {
        let hasVariables = hasBraces && VariableScope.hasReference(bytes, range)
        let substitutes = hasVariables && expandedLength < VariableScope.expansionLimit
        var uri = substitutes ? variables.substituting(bytes, range).text : text(range)
        if substitutes { expandedLength += uri.utf8.count }
        if let first = uri.utf8.first, first >= 0x80 { uri = ReferenceScanner.trimmed(uri.unicodeScalars) }
        return Reference(
            role: role, uri: uri, bytes: range, line: line.number, attribute: attribute, isQuoted: isQuoted,
            hasVariables: hasVariables)
    }

    /// Returns the text without leading Unicode white space, which browsers and scripts remove from a URI.
    private static func trimmed(_ text: String.UnicodeScalarView) -> String {
        String(text.drop { $0.properties.isWhitespace || $0 == "\u{FEFF}" })
    }
}

/// Rules for recognizing the attributes that any player reads as URIs.
///
/// Players split attribute lists in different ways. Media3 matches `URI="` anywhere in a line, even at the end of a
/// longer name. FFmpeg begins an attribute after a blank and after any closing quote. hls.js finds EXT-X-MEDIA in the
/// middle of any line, and ignores Unicode white space around a name.
enum URIAttributes {
    /// The name suffix of URI attributes in all tags except EXT-X-DATERANGE.
    static let uriName: StaticString = "URI"
    /// The name suffix in EXT-X-DATERANGE, where the names of client-defined attributes may end in `URI`.
    static let assetURIName: StaticString = "X-ASSET-URI"

    static func name(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ uriName: StaticString
    ) -> AttributeName? {
        if range.count == 3, uriName.utf8CodeUnitCount == 3, bytes.has("URI", at: range.lowerBound) { return .uri }
        guard let start = nameStart(bytes, range, uriName) else { return nil }
        // Only some players ignore text after the name.
        guard bytes[range.upperBound - 1] < 0x80, start >= range.lowerBound else { return nil }
        return AttributeName(rawValue: String(playlistBytes: bytes.part(range)))
    }

    /// Returns the position of the first name of a URI attribute before an equals sign; nil if there is none.
    static func firstName(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ uriName: StaticString = uriName
    ) -> Int? {
        var start = range.lowerBound
        while let equals = bytes.first(.equals, from: start, to: range.upperBound) {
            if let name = nameStart(bytes, start..<equals, uriName) { return name }
            start = equals + 1
        }
        return nil
    }

    /// Returns the position of the URI name suffix at the end of a range; nil if there is none.
    private static func nameStart(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ uriName: StaticString
    ) -> Int? {
        var end = range.upperBound
        while end > range.lowerBound, bytes[end - 1].isBlank || bytes[end - 1] >= 0x80 { end -= 1 }
        func ends(in name: StaticString) -> Int? {
            let start = end - name.utf8CodeUnitCount
            return start >= range.lowerBound && bytes.has(name, at: start) ? start : nil
        }
        return ends(in: "X-ASSET-LIST") ?? ends(in: uriName)
    }
}
