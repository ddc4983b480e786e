/// EXT-X-CONTENT-STEERING: where to ask which pathway to use (RFC 8216bis, section 4.4.6.6).
public struct ContentSteering: AttributeTag {
    /// The attributes, in order, unknown ones among them.
    public var attributes: AttributeList

    /// A tag with attributes, complete or not.
    public init(attributes: AttributeList) {
        self.attributes = attributes
    }

    /// A steering server.
    public init(serverURI: String, pathwayID: String? = nil) {
        attributes = AttributeList()
        self.serverURI = serverURI
        self.pathwayID = pathwayID
    }

    /// Where the steering manifest is; empty where the tag doesn't say.
    public var serverURI: String {
        get { attributes.text(.serverURI) ?? "" }
        set { attributes.setQuoted(newValue, for: .serverURI) }
    }

    /// The pathway to start with.
    public var pathwayID: String? {
        get { attributes.text(.pathwayID) }
        set { attributes.setQuoted(newValue, for: .pathwayID) }
    }

    static let rules: [AttributeRule] = [
        .required(.serverURI, .quoted),
        .optional(.pathwayID, .quoted),
    ]
}
