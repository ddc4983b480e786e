/// Finds the references of a playlist's bytes one after the other, holding no more than a line's state.
struct ReferenceScanner {
    /// Something that a player may resolve.
    enum Finding {
        case reference(Reference)
        /// The end of a line in which some player may find a reference, and others don't.
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
    private var hasInnerTag = false
    /// Whether players split the list alike; nil until it matters.
    private var isUnambiguous: Bool?
    private var ambiguousText: Range<Int>?
    private var followsStreamInformation = false
    private let hasBraces: Bool
    private var expanded = 0

    init(_ bytes: UnsafeRawBufferPointer, context: PlaylistContext) {
        self.bytes = bytes
        lines = LineScanner(bytes)
        variables = VariableScope(context: context)
        hasBraces = bytes.contains(.openBrace)
    }

    /// The next reference, or nil at the end.
    mutating func nextReference() -> Reference? {
        while let finding = next() {
            if case .reference(let reference) = finding { return reference }
        }
        return nil
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
                // A tag to hls.js, a URI to others.
                return .ambiguousText(first..<line.end)
            }
            if bytes[first] != .numberSign { return .reference(uriLine(range)) }
            // Nearly every tag of a long playlist is EXTINF.
            if bytes.has(ReferenceScanner.segmentTag, at: range.lowerBound) {
                if let reference = segmentReference(range) { return .reference(reference) }
                findName(in: range)
            } else if !beginTag(range) {
                findName(in: range)
            }
        }
    }

    private static let segmentTag: StaticString = "#EXTINF:"

    /// Whether the last line is EXTINF without a line end.
    var endsInSegmentTag: Bool {
        line.end == bytes.count
            && bytes.has(ReferenceScanner.segmentTag, at: bytes.trimmed(line.start, line.end).lowerBound)
    }

    /// A URL behind the duration of EXTINF where no comma separates them: hls.js reads it as the segment's URI. Relative
    /// references are left, which lead to the playlist's own origin.
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
        // Browsers drop tabs, and take a backslash for a slash.
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
        // hls.js finds EXT-X-MEDIA anywhere in the text.
        if let mark = bytes.first(.numberSign, from: range.lowerBound, to: range.upperBound),
            URIAttributes.firstName(bytes, mark..<range.upperBound) != nil
        {
            ambiguousText = mark..<line.end
            range = range.lowerBound..<mark
        }
        return reference(role, range, attribute: nil, isQuoted: false)
    }

    /// Notes the text from the name of an attribute on that holds a reference, in a line that isn't a list of attributes.
    private mutating func findName(in range: Range<Int>) {
        guard let name = URIAttributes.firstName(bytes, range) else { return }
        ambiguousText = name..<line.end
    }

    /// Begins the attributes of a tag. Returns false for a line that has none: a comment, or what no player takes for a
    /// tag.
    private mutating func beginTag(_ range: Range<Int>) -> Bool {
        guard let tagLine = TagLine(bytes, range), let value = tagLine.value,
            !bytes[tagLine.name].contains(where: { $0.isBlank || $0 == .equals || $0 == .quote || $0 == .comma })
        else { return false }
        tag = PlaylistTag(bytes, tagLine.name)
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
            let name = URIAttributes.name(bytes, item.name, of: tag)
            var value = item.value
            let start = name == nil ? item.name.lowerBound : value.lowerBound
            if let place = ambiguousPlace(of: item, in: start..<end, isReference: name != nil) {
                ambiguousText = place..<line.end
                value = value.clamped(to: 0..<place)
                attributes = nil
            }
            if let name, !value.isEmpty {
                let role = ReferenceScanner.role(of: name, tag) ?? .other(tag: text(tagName))
                return reference(role, value, attribute: name, isQuoted: item.isQuoted)
            }
        }
        attributes = nil
        return nil
    }

    /// Where the text of an attribute begins that a player may read as another reference.
    private mutating func ambiguousPlace(
        of item: AttributeListScanner.Item, in range: Range<Int>, isReference: Bool
    ) -> Int? {
        var rest: Int?
        if isReference, item.isQuoted, item.isMalformed {
            rest = bytes.trimmed(min(item.value.upperBound + 1, range.upperBound), range.upperBound).first
        }
        if let name = URIAttributes.firstName(bytes, range, of: hasInnerTag ? nil : tag) {
            let isPlain = isUnambiguous ?? AttributeListScanner.isUnambiguous(bytes, list)
            isUnambiguous = isPlain
            if !isPlain || !item.isQuoted || !item.value.contains(name) { return min(name, rest ?? name) }
        }
        return rest
    }

    private func text(_ range: Range<Int>) -> String {
        String(playlistBytes: bytes.part(range.lowerBound, range.upperBound))
    }

    private mutating func reference(
        _ role: ReferenceRole, _ range: Range<Int>, attribute: AttributeName?, isQuoted: Bool
    ) -> Reference {
        let hasVariables = hasBraces && VariableScope.hasReference(bytes, range)
        let substitutes = hasVariables && expanded < VariableScope.expansionLimit
        var uri = substitutes ? variables.substituting(bytes, range).text : text(range)
        if substitutes { expanded += uri.utf8.count }
        if let first = uri.utf8.first, first >= 0x80 { uri = ReferenceScanner.trimmed(uri.unicodeScalars) }
        return Reference(
            role: role, uri: uri, bytes: range, line: line.number, attribute: attribute, isQuoted: isQuoted,
            hasVariables: hasVariables)
    }

    /// The text without the blanks of Unicode at its front: browsers and scripts trim them off a URI.
    private static func trimmed(_ text: String.UnicodeScalarView) -> String {
        String(text.drop { $0.properties.isWhitespace || $0 == "\u{FEFF}" })
    }

    private static func role(of attribute: AttributeName, _ tag: PlaylistTag?) -> ReferenceRole? {
        guard URIAttributes.names(of: tag).contains(attribute) else { return nil }
        return switch tag {
        case .key: .key
        case .sessionKey: .sessionKey
        case .map: .initializationSection
        case .media: .rendition
        case .iFrameStreamInformation: .iFramePlaylist
        case .part: .partialSegment
        case .preloadHint: .preloadHint
        case .renditionReport: .renditionReport
        case .sessionData: .sessionData
        case .contentSteering: .steeringManifest
        case .dateRange: attribute == .assetURI ? .interstitialAsset : .interstitialAssetList
        default: nil
        }
    }
}
