extension PlaylistTag {
    /// EXT-X-PART-INF (RFC 8216bis §4.4.3.7): the target duration of partial segments.
    public static let partInformation = PlaylistTag(
        "EXT-X-PART-INF", section: "4.4.3.7",
        place: .mediaPlaylist(
            .attributes("partTarget", \.partInformation) { value, _ in .number(value.partTarget.doubleValue) }),
        attributes: [.required("PART-TARGET", .decimal)])
}

/// The common properties of partial segments, EXT-X-PART-INF (RFC 8216bis §4.4.3.7).
public struct PartInformation: AttributeTag {
    /// The attributes in the order in which they were written, including unknown attributes.
    public var attributes = AttributeList()

    /// Creates a tag from attributes. Required attributes may be missing.
    public init(attributes: AttributeList) { self.attributes = attributes }

    /// Creates a tag with a target duration in seconds.
    public init(partTarget: DecimalValue) { self.partTarget = partTarget }

    /// The upper bound of the durations of partial segments, in seconds; 0 if the tag has none.
    public var partTarget: DecimalValue {
        get { attributes.decimal("PART-TARGET") ?? .zero }
        set { attributes.setUnquoted(newValue, for: "PART-TARGET") }
    }
}
