/// EXT-X-SERVER-CONTROL: what the server can do (RFC 8216bis, section 4.4.3.8).
public struct ServerControl: AttributeTag {
    /// The attributes, in order, unknown ones among them.
    public var attributes: AttributeList

    /// A tag with attributes, complete or not.
    public init(attributes: AttributeList) {
        self.attributes = attributes
    }

    /// A server that can do nothing in particular.
    public init() {
        attributes = AttributeList()
    }

    /// The skip boundary in seconds: older segments may be left out of delta updates.
    public var canSkipUntil: DecimalValue? {
        get { attributes.decimal("CAN-SKIP-UNTIL") }
        set { attributes.setUnquoted(newValue, for: "CAN-SKIP-UNTIL") }
    }

    /// Whether delta updates may leave out date ranges too.
    public var canSkipDateRanges: Bool {
        get { attributes.flag("CAN-SKIP-DATERANGES") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "CAN-SKIP-DATERANGES") }
    }

    /// The least distance from the playlist's end to play at, in seconds.
    public var holdBack: DecimalValue? {
        get { attributes.decimal("HOLD-BACK") }
        set { attributes.setUnquoted(newValue, for: "HOLD-BACK") }
    }

    /// The least distance from the playlist's end to play at with partial segments, in seconds.
    public var partHoldBack: DecimalValue? {
        get { attributes.decimal("PART-HOLD-BACK") }
        set { attributes.setUnquoted(newValue, for: "PART-HOLD-BACK") }
    }

    /// Whether the server holds a request until the playlist has what is asked.
    public var canBlockReload: Bool {
        get { attributes.flag("CAN-BLOCK-RELOAD") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "CAN-BLOCK-RELOAD") }
    }

    static let rules: [AttributeRule] = [
        .optional("CAN-SKIP-UNTIL", .decimal),
        .optional("CAN-SKIP-DATERANGES", .flag),
        .optional("HOLD-BACK", .decimal),
        .optional("PART-HOLD-BACK", .decimal),
        .optional("CAN-BLOCK-RELOAD", .flag),
    ]
}
