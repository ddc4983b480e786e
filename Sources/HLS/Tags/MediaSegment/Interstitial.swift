/// An interstitial: the attributes of an EXT-X-DATERANGE tag with the class ``rangeClass`` (RFC 8216bis, appendix D).
public struct Interstitial: AttributeTag {
    /// The attributes in the order in which they were written, including unknown attributes.
    public var attributes: AttributeList

    /// Creates an interstitial from attributes. Required attributes may be missing.
    public init(attributes: AttributeList) { self.attributes = attributes }

    /// The URI of the interstitial's playlist. Mutually exclusive with ``assetListURI``.
    public var assetURI: String? {
        get { attributes.text(.assetURI) }
        set { attributes.setQuoted(newValue, for: .assetURI) }
    }

    /// The URI of a JSON list of the interstitial's assets. Mutually exclusive with ``assetURI``.
    public var assetListURI: String? {
        get { attributes.text(.assetList) }
        set { attributes.setQuoted(newValue, for: .assetList) }
    }

    /// The position at which to resume the primary asset, in seconds from the start of the interstitial on the primary
    /// timeline. Nil means the duration of the interstitial.
    public var resumeOffset: DecimalValue? {
        get { attributes.decimal("X-RESUME-OFFSET") }
        set { attributes.setUnquoted(newValue, for: "X-RESUME-OFFSET") }
    }

    /// The maximum playback time of the interstitial, in seconds; nil for no limit.
    public var playoutLimit: DecimalValue? {
        get { attributes.decimal("X-PLAYOUT-LIMIT") }
        set { attributes.setUnquoted(newValue, for: "X-PLAYOUT-LIMIT") }
    }

    /// The transitions that snap to segment boundaries: OUT to the interstitial, IN to the primary content.
    public var snap: [String] {
        get { attributes.list("X-SNAP") }
        set { attributes.setQuoted(newValue.isEmpty ? nil : newValue.joined(separator: ","), for: "X-SNAP") }
    }

    /// The navigation that players must prevent: SKIP, seeking forward within the interstitial; JUMP, seeking past it.
    public var restrictions: [String] {
        get { attributes.list("X-RESTRICT") }
        set { attributes.setQuoted(newValue.isEmpty ? nil : newValue.joined(separator: ","), for: "X-RESTRICT") }
    }

    /// Whether different players may receive different content: YES or NO. Nil means YES.
    public var contentMayVary: String? {
        get { attributes.text("X-CONTENT-MAY-VARY") }
        set { attributes.setQuoted(newValue, for: "X-CONTENT-MAY-VARY") }
    }

    /// The space that the interstitial occupies on the timeline: POINT or RANGE. Nil means POINT.
    public var timelineOccupies: String? {
        get { attributes.text("X-TIMELINE-OCCUPIES") }
        set { attributes.setQuoted(newValue, for: "X-TIMELINE-OCCUPIES") }
    }

    /// The appearance of the interstitial on the timeline: HIGHLIGHT or PRIMARY. Nil means HIGHLIGHT.
    public var timelineStyle: String? {
        get { attributes.text("X-TIMELINE-STYLE") }
        set { attributes.setQuoted(newValue, for: "X-TIMELINE-STYLE") }
    }

    /// The time after which the skip button appears, in seconds from the beginning of the interstitial.
    public var skipControlOffset: DecimalValue? {
        get { attributes.decimal("X-SKIP-CONTROL-OFFSET") }
        set { attributes.setUnquoted(newValue, for: "X-SKIP-CONTROL-OFFSET") }
    }

    /// The duration for which the skip button is visible, in seconds; nil for the rest of the interstitial.
    public var skipControlDuration: DecimalValue? {
        get { attributes.decimal("X-SKIP-CONTROL-DURATION") }
        set { attributes.setUnquoted(newValue, for: "X-SKIP-CONTROL-DURATION") }
    }

    /// The ID of the skip button's label.
    public var skipControlLabelID: String? {
        get { attributes.text("X-SKIP-CONTROL-LABEL-ID") }
        set { attributes.setQuoted(newValue, for: "X-SKIP-CONTROL-LABEL-ID") }
    }

    /// The class of date ranges with interstitials.
    public static let rangeClass = "com.apple.hls.interstitial"

    static let rules: [AttributeRule] = [
        .optional(.assetURI, .quoted), .optional(.assetList, .quoted), .optional("X-RESUME-OFFSET", .signedDecimal),
        .optional("X-PLAYOUT-LIMIT", .decimal), .optional("X-SNAP", .quoted), .optional("X-RESTRICT", .quoted),
        .optional("X-CONTENT-MAY-VARY", .quoted), .optional("X-TIMELINE-OCCUPIES", .quoted),
        .optional("X-TIMELINE-STYLE", .quoted), .optional("X-SKIP-CONTROL-OFFSET", .decimal),
        .optional("X-SKIP-CONTROL-DURATION", .decimal), .optional("X-SKIP-CONTROL-LABEL-ID", .quoted),
    ]
}

extension DateRange {
    /// The range as an interstitial; nil for another class. Setting one adds its attributes; setting nil has no effect.
    public var interstitial: Interstitial? {
        get {
            rangeClass == Interstitial.rangeClass ? Interstitial(attributes: attributes) : nil
        }
        set {
            guard let newValue else { return }
            for attribute in newValue.attributes.attributes { attributes[attribute.name] = attribute.value }
            rangeClass = Interstitial.rangeClass
        }
    }
}
