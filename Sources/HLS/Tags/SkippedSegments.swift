/// EXT-X-SKIP: what a delta update leaves out (RFC 8216bis, section 4.4.5.2).
public struct SkippedSegments: AttributeTag {
    /// The attributes, in order, unknown ones among them.
    public var attributes: AttributeList

    /// A tag with attributes, complete or not.
    public init(attributes: AttributeList) {
        self.attributes = attributes
    }

    /// A number of segments left out.
    public init(count: Int) {
        attributes = AttributeList()
        self.count = count
    }

    /// How many segments are left out.
    public var count: Int {
        get { attributes.integer("SKIPPED-SEGMENTS") ?? 0 }
        set { attributes.setUnquoted(newValue, for: "SKIPPED-SEGMENTS") }
    }

    /// The IDs of date ranges that were removed lately.
    public var recentlyRemovedDateRanges: [String] {
        get {
            attributes.text("RECENTLY-REMOVED-DATERANGES").map { $0.split(separator: "\t").map(String.init) } ?? []
        }
        set {
            let text = newValue.isEmpty ? nil : newValue.joined(separator: "\t")
            attributes.setQuoted(text, for: "RECENTLY-REMOVED-DATERANGES")
        }
    }

    static let rules: [AttributeRule] = [
        .required("SKIPPED-SEGMENTS", .integer),
        .optional("RECENTLY-REMOVED-DATERANGES", .quoted),
    ]
}
