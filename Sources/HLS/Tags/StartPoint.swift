/// EXT-X-START: where to start playing (RFC 8216bis, section 4.4.2.2).
public struct StartPoint: AttributeTag {
    /// The attributes, in order, unknown ones among them.
    public var attributes: AttributeList

    /// A tag with attributes, complete or not.
    public init(attributes: AttributeList) {
        self.attributes = attributes
    }

    /// A place to start at.
    public init(timeOffset: DecimalValue, isPrecise: Bool = false) {
        attributes = AttributeList()
        self.timeOffset = timeOffset
        self.isPrecise = isPrecise
    }

    /// Seconds from the playlist's beginning; from its end when negative.
    public var timeOffset: DecimalValue {
        get { attributes.decimal("TIME-OFFSET") ?? .zero }
        set { attributes.setUnquoted(newValue, for: "TIME-OFFSET") }
    }

    /// Whether samples before the offset are left out.
    public var isPrecise: Bool {
        get { attributes.flag("PRECISE") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "PRECISE") }
    }

    static let rules: [AttributeRule] = [
        .required("TIME-OFFSET", .signedDecimal),
        .optional("PRECISE", .flag),
    ]
}
