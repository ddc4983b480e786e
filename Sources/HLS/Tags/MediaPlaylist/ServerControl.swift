extension PlaylistTag {
    /// EXT-X-SERVER-CONTROL (RFC 8216bis §4.4.3.8): the capabilities of the server.
    public static let serverControl = PlaylistTag(
        "EXT-X-SERVER-CONTROL", section: "4.4.3.8",
        place: .mediaPlaylist(.attributes("serverControl", \.serverControl)),
        attributes: [
            .optional("CAN-SKIP-UNTIL", .decimal), .optional("CAN-SKIP-DATERANGES", .flag),
            .optional("HOLD-BACK", .decimal), .optional("PART-HOLD-BACK", .decimal),
            .optional("CAN-BLOCK-RELOAD", .flag),
        ])
}

/// The capabilities of a server, EXT-X-SERVER-CONTROL (RFC 8216bis §4.4.3.8).
public struct ServerControl: AttributeTag {
    /// The attributes in the order in which they were written, including unknown attributes.
    public var attributes = AttributeList()

    /// Creates a tag from attributes. Required attributes may be missing.
    public init(attributes: AttributeList) { self.attributes = attributes }

    /// Creates a tag without attributes.
    public init() {}

    /// The skip boundary in seconds: delta updates skip segments that are further from the end of the playlist. Nil if
    /// the server doesn't support delta updates.
    public var canSkipUntil: DecimalValue? {
        get { attributes.decimal("CAN-SKIP-UNTIL") }
        set { attributes.setUnquoted(newValue, for: "CAN-SKIP-UNTIL") }
    }

    /// Whether delta updates may also skip date ranges.
    public var canSkipDateRanges: Bool {
        get { attributes.flag("CAN-SKIP-DATERANGES") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "CAN-SKIP-DATERANGES") }
    }

    /// The minimum distance of playback from the end of the playlist, in seconds. Nil means three target durations.
    public var holdBack: DecimalValue? {
        get { attributes.decimal("HOLD-BACK") }
        set { attributes.setUnquoted(newValue, for: "HOLD-BACK") }
    }

    /// The minimum distance of playback from the end of the playlist in low-latency mode, in seconds.
    public var partHoldBack: DecimalValue? {
        get { attributes.decimal("PART-HOLD-BACK") }
        set { attributes.setUnquoted(newValue, for: "PART-HOLD-BACK") }
    }

    /// Whether the server can delay a response until a requested segment or part is available.
    public var canBlockReload: Bool {
        get { attributes.flag("CAN-BLOCK-RELOAD") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "CAN-BLOCK-RELOAD") }
    }
}
