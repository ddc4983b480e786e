/// EXT-X-I-FRAME-STREAM-INF: a media playlist of I-frames (RFC 8216bis, section 4.4.6.3).
public struct IFrameStream: StreamTag {
    /// The attributes, in order, unknown ones among them.
    public var attributes: AttributeList

    /// A stream with attributes, complete or not.
    public init(attributes: AttributeList) {
        self.attributes = attributes
    }

    /// A stream of a peak bit rate, in bits per second.
    public init(uri: String, bandwidth: Int) {
        attributes = AttributeList()
        self.bandwidth = bandwidth
        self.uri = uri
    }

    /// The media playlist; empty where the tag doesn't say.
    public var uri: String {
        get { attributes.text(.uri) ?? "" }
        set { attributes.setQuoted(newValue, for: .uri) }
    }

    static let rules: [AttributeRule] = commonRules + [.required(.uri, .quoted)]
}
