extension PlaylistTag {
    /// EXT-X-CUE-OUT: the start of an advertisement break. Not part of the RFC.
    public static let cueOut = cue("EXT-X-CUE-OUT")
    /// EXT-X-CUE-OUT-CONT: the continuation of an advertisement break. Not part of the RFC.
    public static let cueOutContinued = cue("EXT-X-CUE-OUT-CONT")
    /// EXT-X-CUE-IN: the end of an advertisement break. Not part of the RFC.
    public static let cueIn = cue("EXT-X-CUE-IN")
    /// EXT-X-CUE-SPAN: the continuation of an advertisement break. Not part of the RFC.
    public static let cueSpan = cue("EXT-X-CUE-SPAN")
    /// EXT-OATCLS-SCTE35: an SCTE-35 message in Base64. Not part of the RFC.
    public static let oatclsSCTE35 = cue("EXT-OATCLS-SCTE35")
    /// EXT-SCTE35: an SCTE-35 message in an attribute list. Not part of the RFC.
    public static let scte35 = cue("EXT-SCTE35")
    /// EXT-X-SCTE35: an SCTE-35 message in an attribute list. Not part of the RFC.
    public static let xSCTE35 = cue("EXT-X-SCTE35")

    private static func cue(_ name: StaticString) -> PlaylistTag {
        PlaylistTag(
            name, section: "4.1",
            place: .mediaSegment { parser, item, reader in
                let value = item.value.isEmpty ? nil : reader.text(item.value)
                guard let cue = AdvertisementCue(tag: item.tag, value: value, line: reader.line.number) else { return }
                parser.segment.tags.append(.cue(cue))
            })
    }
}

/// An advertisement cue in one of the older tags outside the RFC, such as EXT-X-CUE-OUT.
public struct AdvertisementCue: Sendable, Hashable {
    /// The tag of the cue.
    public let tag: PlaylistTag
    /// The text after the colon; nil for a tag without a value.
    public let value: String?
    /// The line of the tag, counted from 1; 0 for a cue that wasn't parsed.
    public let line: Int

    /// The tags that represent cues.
    public static let tags: Set<PlaylistTag> = [
        .cueOut, .cueOutContinued, .cueIn, .cueSpan, .oatclsSCTE35, .scte35, .xSCTE35,
    ]

    /// Creates a cue. Line ends are removed from the value. Returns nil if `tag` isn't one of ``tags``.
    public init?(tag: PlaylistTag, value: String? = nil, line: Int = 0) {
        guard AdvertisementCue.tags.contains(tag) else { return nil }
        self.tag = tag
        self.line = line
        self.value = value?.removing { $0 == .lineFeed || $0 == .carriageReturn }
    }

    /// The duration of the whole break in seconds: `DURATION=30`, `30` in EXT-X-CUE-OUT, or the second number of `2/30`
    /// in EXT-X-CUE-OUT-CONT. Nil if the tag has none.
    public var duration: DecimalValue? {
        if let value = attributes.decimal(.duration) ?? attributes.decimal("Duration") { return value }
        let parts = firstItem.split(separator: "/", omittingEmptySubsequences: false)
        if tag == .cueOutContinued { return parts.count == 2 ? DecimalValue(String(parts[1])) : nil }
        return tag == .cueOut ? DecimalValue(firstItem) : nil
    }

    /// The elapsed time of the break in seconds: `ElapsedTime=2` or, in EXT-X-CUE-OUT-CONT, `2` or the first number of
    /// `2/30`. Nil if the tag has none.
    public var elapsedTime: DecimalValue? {
        if let value = attributes.decimal("ElapsedTime") { return value }
        guard tag == .cueOutContinued else { return nil }
        return firstItem.split(separator: "/").first.flatMap { DecimalValue(String($0)) }
    }

    /// The SCTE-35 message in Base64; nil if the tag has none.
    public var scte35: String? {
        if tag == .oatclsSCTE35 { return value }
        return attributes.text("CUE") ?? attributes.text("SCTE35")
    }

    /// The value, parsed as an attribute list.
    public var attributes: AttributeList { UnknownTag(name: tag.rawValue, value: value).attributes }

    /// Compares tags and values.
    public static func == (left: AdvertisementCue, right: AdvertisementCue) -> Bool {
        left.tag == right.tag && left.value == right.value
    }

    /// Hashes the tag and the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(tag)
        hasher.combine(value)
    }

    private var firstItem: String {
        guard let value else { return "" }
        return String(value.prefix { $0 != "," }).trimmedBlanks
    }
}

extension MediaSegment {
    /// The advertisement cues that precede the segment.
    public var cues: [AdvertisementCue] {
        tags.compactMap { if case .cue(let cue) = $0 { cue } else { nil } }
    }
}
