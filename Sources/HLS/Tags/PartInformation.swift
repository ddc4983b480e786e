/// EXT-X-PART-INF: what partial segments have in common (RFC 8216bis, section 4.4.3.7).
public struct PartInformation: AttributeTag {
    /// The attributes, in order, unknown ones among them.
    public var attributes: AttributeList

    /// A tag with attributes, complete or not.
    public init(attributes: AttributeList) {
        self.attributes = attributes
    }

    /// A bound in seconds.
    public init(partTarget: DecimalValue) {
        attributes = AttributeList()
        self.partTarget = partTarget
    }

    /// The upper bound of partial segments' durations, in seconds.
    public var partTarget: DecimalValue {
        get { attributes.decimal("PART-TARGET") ?? .zero }
        set { attributes.setUnquoted(newValue, for: "PART-TARGET") }
    }

    static let rules: [AttributeRule] = [
        .required("PART-TARGET", .decimal)
    ]
}
