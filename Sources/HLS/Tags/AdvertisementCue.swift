/// The older cue tags of advertisements, which stand outside the RFC: EXT-X-CUE-OUT, EXT-X-CUE-OUT-CONT, EXT-X-CUE-IN,
/// EXT-X-CUE-SPAN, EXT-OATCLS-SCTE35, EXT-SCTE35 and EXT-X-SCTE35.
public struct AdvertisementCue: Sendable, Hashable {
    /// Which of the tags it is.
    public let tag: PlaylistTag
    /// What follows the colon; nil where there is none.
    public let value: String?
    /// The line that it was read from, counted from 1; 0 for one that wasn't read.
    public let line: Int

    /// The tags that are cues.
    public static let tags: Set<PlaylistTag> = [
        .cueOut, .cueOutContinued, .cueIn, .cueSpan, .oatclsSCTE35, .scte35, .xSCTE35,
    ]

    /// A cue; nil for a tag that is none. Line ends in the value, which can't stand there, are dropped.
    public init?(tag: PlaylistTag, value: String? = nil, line: Int = 0) {
        guard AdvertisementCue.tags.contains(tag) else { return nil }
        self.tag = tag
        self.line = line
        self.value = value?.removing { $0 == .lineFeed || $0 == .carriageReturn }
    }

    /// The duration of the whole break, in seconds: `30`, `DURATION=30`, the second number of `2/30`.
    public var duration: DecimalValue? {
        if let value = attributes.decimal(.duration) ?? attributes.decimal("Duration") { return value }
        let parts = firstItem.split(separator: "/", omittingEmptySubsequences: false)
        if tag == .cueOutContinued { return parts.count == 2 ? DecimalValue(String(parts[1])) : nil }
        return tag == .cueOut ? DecimalValue(firstItem) : nil
    }

    /// How much of the break is over, in seconds: `ElapsedTime=2`, the first number of `2/30`.
    public var elapsedTime: DecimalValue? {
        if let value = attributes.decimal("ElapsedTime") { return value }
        guard tag == .cueOutContinued else { return nil }
        return firstItem.split(separator: "/").first.flatMap { DecimalValue(String($0)) }
    }

    /// The SCTE-35 message in Base64.
    public var scte35: String? {
        if tag == .oatclsSCTE35 { return value }
        return attributes.text("CUE") ?? attributes.text("SCTE35")
    }

    /// The value read as an attribute list.
    public var attributes: AttributeList {
        UnknownTag(name: tag.rawValue, value: value).attributes
    }

    /// Equal cues say the same, wherever they were read.
    public static func == (left: AdvertisementCue, right: AdvertisementCue) -> Bool {
        left.tag == right.tag && left.value == right.value
    }

    /// Feeds the tag and the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(tag)
        hasher.combine(value)
    }

    private var firstItem: String {
        guard let value else { return "" }
        return String(value.prefix { $0 != "," }).trimmedBlanks
    }
}
