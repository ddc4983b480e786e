extension PlaylistTag {
    /// EXT-X-START (RFC 8216bis §4.4.2.2): the preferred position at which to start playback.
    public static let start = PlaylistTag(
        "EXT-X-START", section: "4.4.2.2", place: .anyPlaylist(.attributes("start", \.start)),
        attributes: [.required("TIME-OFFSET", .signedDecimal, absent: .number(0)), .optional("PRECISE", .flag)])
}

/// The preferred position at which to start playback, EXT-X-START (RFC 8216bis §4.4.2.2).
public struct StartPoint: AttributeTag {
    /// The attributes in the order in which they were written, including unknown attributes.
    public var attributes = AttributeList()

    /// Creates a tag from attributes. Required attributes may be missing.
    public init(attributes: AttributeList) { self.attributes = attributes }

    /// Creates a start point from a time offset in seconds.
    public init(timeOffset: DecimalValue, isPrecise: Bool = false) {
        self.timeOffset = timeOffset
        self.isPrecise = isPrecise
    }

    /// The offset from the beginning of the playlist in seconds, or from its end if negative; 0 if the tag has none.
    public var timeOffset: DecimalValue {
        get { attributes.decimal("TIME-OFFSET") ?? .zero }
        set { attributes.setUnquoted(newValue, for: "TIME-OFFSET") }
    }

    /// Whether players should start exactly at the offset, instead of at the beginning of the segment that contains it.
    public var isPrecise: Bool {
        get { attributes.flag("PRECISE") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "PRECISE") }
    }
}
