/// Finds the references of a playlist's bytes one after the other, holding no more than a line's state.
struct ReferenceScanner {
    private let bytes: UnsafeRawBufferPointer
    private var lines: LineScanner
    private var variables: VariableScope
    private var line = Line(start: 0, end: 0, next: 0, number: 0)
    private var attributes: AttributeListScanner?
    private var tag: PlaylistTag?
    private var tagName: Range<Int> = 0..<0
    private var followsStreamInformation = false
    private let hasBraces: Bool
    private var expanded = 0

    init(_ bytes: UnsafeRawBufferPointer, context: PlaylistContext) {
        self.bytes = bytes
        lines = LineScanner(bytes)
        variables = VariableScope(context: context)
        hasBraces = bytes.contains(.openBrace)
    }

    mutating func next() -> Reference? {
        while true {
            if let reference = nextAttribute() { return reference }
            guard let line = lines.next() else { return nil }
            self.line = line
            let range = bytes.trimmed(line.start, line.end)
            guard let first = range.first else { continue }
            if bytes[first] != .numberSign { return uriLine(range) }
            beginTag(range)
        }
    }

    private mutating func uriLine(_ range: Range<Int>) -> Reference {
        let role: ReferenceRole = followsStreamInformation ? .variantStream : .mediaSegment
        followsStreamInformation = false
        return reference(role, range, attribute: nil, isQuoted: false)
    }

    private mutating func beginTag(_ range: Range<Int>) {
        // Nearly every tag of a long playlist is EXTINF, which holds no reference.
        if bytes.has("#EXTINF:", at: range.lowerBound) { return }
        guard let tagLine = TagLine(bytes, range), let value = tagLine.value else { return }
        tag = PlaylistTag(bytes, tagLine.name)
        tagName = tagLine.name
        switch tag {
        case .define:
            _ = variables.define(VariableDefinition(attributes: AttributeList(bytes, value, substituting: nil)))
        case .streamInformation:
            followsStreamInformation = true
        case .dateRange, .key, .map, .part, .preloadHint, .renditionReport, .media, .iFrameStreamInformation,
            .sessionData, .sessionKey, .contentSteering, .none:
            attributes = AttributeListScanner(bytes, value)
        default:
            break
        }
    }

    private mutating func nextAttribute() -> Reference? {
        while let item = attributes?.next() {
            guard let name = ReferenceScanner.attributeName(bytes, item.name, of: tag), !item.value.isEmpty else {
                continue
            }
            let role = ReferenceScanner.role(of: name, tag) ?? .other(tag: text(tagName))
            return reference(role, item.value, attribute: name, isQuoted: item.isQuoted)
        }
        attributes = nil
        return nil
    }

    private func text(_ range: Range<Int>) -> String {
        String(playlistBytes: bytes.part(range.lowerBound, range.upperBound))
    }

    private mutating func reference(
        _ role: ReferenceRole, _ range: Range<Int>, attribute: AttributeName?, isQuoted: Bool
    ) -> Reference {
        let hasVariables = hasBraces && VariableScope.hasReference(bytes, range)
        let substitutes = hasVariables && expanded < VariableScope.expansionLimit
        let uri = substitutes ? variables.substituting(bytes, range).text : text(range)
        if substitutes { expanded += uri.utf8.count }
        return Reference(
            role: role, uri: uri, bytes: range, line: line.number, attribute: attribute, isQuoted: isQuoted,
            hasVariables: hasVariables)
    }

    private static func attributeName(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, of tag: PlaylistTag?
    ) -> AttributeName? {
        switch tag {
        case .dateRange:
            if range.count == 11, bytes.has("X-ASSET-URI", at: range.lowerBound) { return .assetURI }
            return range.count == 12 && bytes.has("X-ASSET-LIST", at: range.lowerBound) ? .assetList : nil
        case .contentSteering:
            return range.count == 10 && bytes.has("SERVER-URI", at: range.lowerBound) ? .serverURI : nil
        default:
            return range.count == 3 && bytes.has("URI", at: range.lowerBound) ? .uri : nil
        }
    }

    private static func role(of attribute: AttributeName, _ tag: PlaylistTag?) -> ReferenceRole? {
        switch tag {
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
