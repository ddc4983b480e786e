/// EXT-X-SESSION-DATA: data of the presentation (RFC 8216bis, section 4.4.6.4).
public struct SessionData: AttributeTag {
    /// The attributes, in order, unknown ones among them.
    public var attributes: AttributeList

    /// A tag with attributes, complete or not.
    public init(attributes: AttributeList) {
        self.attributes = attributes
    }

    /// Data that the playlist holds.
    public init(dataID: String, value: String, language: String? = nil) {
        attributes = AttributeList()
        self.dataID = dataID
        self.value = value
        self.language = language
    }

    /// What the data is, in reverse DNS notation.
    public var dataID: String {
        get { attributes.text("DATA-ID") ?? "" }
        set { attributes.setQuoted(newValue, for: "DATA-ID") }
    }

    /// The data itself; nil where ``uri`` names it.
    public var value: String? {
        get { attributes.text(.value) }
        set { attributes.setQuoted(newValue, for: .value) }
    }

    /// Where the data is; nil where ``value`` holds it.
    public var uri: String? {
        get { attributes.text(.uri) }
        set { attributes.setQuoted(newValue, for: .uri) }
    }

    /// How the data at ``uri`` is written: JSON, which is assumed when nil, or RAW.
    public var format: String? {
        get { attributes.text("FORMAT") }
        set { attributes.setUnquoted(newValue, for: "FORMAT") }
    }

    /// The language of ``value`` (RFC 5646).
    public var language: String? {
        get { attributes.text(.language) }
        set { attributes.setQuoted(newValue, for: .language) }
    }

    static let rules: [AttributeRule] = [
        .required("DATA-ID", .quoted),
        .optional(.value, .quoted),
        .optional(.uri, .quoted),
        .optional("FORMAT", .enumerated(["JSON", "RAW"])),
        .optional(.language, .quoted),
    ]
}
