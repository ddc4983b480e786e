/// An interstitial: the attributes of an EXT-X-DATERANGE of the class `com.apple.hls.interstitial` (RFC 8216bis,
/// appendix D).
public struct Interstitial: AttributeTag {
    /// The attributes, in order, unknown ones among them.
    public var attributes: AttributeList

    /// A tag with attributes, complete or not.
    public init(attributes: AttributeList) {
        self.attributes = attributes
    }

    /// The interstitial's playlist; nil where ``assetListURI`` names a list.
    public var assetURI: String? {
        get { attributes.text(.assetURI) }
        set { attributes.setQuoted(newValue, for: .assetURI) }
    }

    /// A list of interstitials in JSON.
    public var assetListURI: String? {
        get { attributes.text(.assetList) }
        set { attributes.setQuoted(newValue, for: .assetList) }
    }

    /// Where to go on in the primary asset, in seconds from the interstitial's beginning.
    public var resumeOffset: DecimalValue? {
        get { attributes.decimal("X-RESUME-OFFSET") }
        set { attributes.setUnquoted(newValue, for: "X-RESUME-OFFSET") }
    }

    /// The longest time to play it, in seconds.
    public var playoutLimit: DecimalValue? {
        get { attributes.decimal("X-PLAYOUT-LIMIT") }
        set { attributes.setUnquoted(newValue, for: "X-PLAYOUT-LIMIT") }
    }

    /// Which ends are aligned to segments: IN, OUT.
    public var snap: [String] {
        get { attributes.list("X-SNAP") }
        set { attributes.setQuoted(newValue.isEmpty ? nil : newValue.joined(separator: ","), for: "X-SNAP") }
    }

    /// What the viewer may not do: SKIP, JUMP.
    public var restrictions: [String] {
        get { attributes.list("X-RESTRICT") }
        set { attributes.setQuoted(newValue.isEmpty ? nil : newValue.joined(separator: ","), for: "X-RESTRICT") }
    }

    /// Whether the interstitial differs between players: YES or NO.
    public var contentMayVary: String? {
        get { attributes.text("X-CONTENT-MAY-VARY") }
        set { attributes.setQuoted(newValue, for: "X-CONTENT-MAY-VARY") }
    }

    /// How it stands on the timeline: POINT or RANGE.
    public var timelineOccupies: String? {
        get { attributes.text("X-TIMELINE-OCCUPIES") }
        set { attributes.setQuoted(newValue, for: "X-TIMELINE-OCCUPIES") }
    }

    /// How it looks on the timeline: HIGHLIGHT or PRIMARY.
    public var timelineStyle: String? {
        get { attributes.text("X-TIMELINE-STYLE") }
        set { attributes.setQuoted(newValue, for: "X-TIMELINE-STYLE") }
    }

    /// When a skip button appears, in seconds.
    public var skipControlOffset: DecimalValue? {
        get { attributes.decimal("X-SKIP-CONTROL-OFFSET") }
        set { attributes.setUnquoted(newValue, for: "X-SKIP-CONTROL-OFFSET") }
    }

    /// How long the skip button stays, in seconds.
    public var skipControlDuration: DecimalValue? {
        get { attributes.decimal("X-SKIP-CONTROL-DURATION") }
        set { attributes.setUnquoted(newValue, for: "X-SKIP-CONTROL-DURATION") }
    }

    /// The skip button's label, by ID.
    public var skipControlLabelID: String? {
        get { attributes.text("X-SKIP-CONTROL-LABEL-ID") }
        set { attributes.setQuoted(newValue, for: "X-SKIP-CONTROL-LABEL-ID") }
    }

    /// The class of date ranges that are interstitials.
    public static let rangeClass = "com.apple.hls.interstitial"

    static let rules: [AttributeRule] = [
        .optional(.assetURI, .quoted),
        .optional(.assetList, .quoted),
        .optional("X-RESUME-OFFSET", .signedDecimal),
        .optional("X-PLAYOUT-LIMIT", .decimal),
        .optional("X-SNAP", .quoted),
        .optional("X-RESTRICT", .quoted),
        .optional("X-CONTENT-MAY-VARY", .quoted),
        .optional("X-TIMELINE-OCCUPIES", .quoted),
        .optional("X-TIMELINE-STYLE", .quoted),
        .optional("X-SKIP-CONTROL-OFFSET", .decimal),
        .optional("X-SKIP-CONTROL-DURATION", .decimal),
        .optional("X-SKIP-CONTROL-LABEL-ID", .quoted),
    ]
}

extension DateRange {
    /// The range as an interstitial; nil where it is of another class. Setting one sets its attributes and the class.
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
