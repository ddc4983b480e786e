extension PlaylistTag {
    /// EXT-X-I-FRAME-STREAM-INF (RFC 8216bis §4.4.6.3): an I-frame playlist.
    public static let iFrameStreamInformation = PlaylistTag(
        "EXT-X-I-FRAME-STREAM-INF", section: "4.4.6.3",
        place: .multivariantPlaylist(
            EntryField("iFrameVariants", details: ["like variants"]) { .iFrameStream(IFrameStream(attributes: $0)) }),
        decidesKind: true,
        attributes: IFrameStream.commonRules + [.required(.uri, .quoted)],
        uris: [.uri: .iFramePlaylist],
        recordedAttributes: IFrameStream.recordedRules, recordsOtherAttributes: true, localRemoval: .always,
        requiredVersion: \.requiredVersion)
}

/// A media playlist that consists of I-frames, EXT-X-I-FRAME-STREAM-INF (RFC 8216bis §4.4.6.3).
public struct IFrameStream: StreamTag {
    /// The attributes in the order in which they were written, including unknown attributes.
    public var attributes = AttributeList()

    /// Creates a tag from attributes. Required attributes may be missing.
    public init(attributes: AttributeList) { self.attributes = attributes }

    /// Creates a stream with a peak bit rate in bits per second.
    public init(uri: String, bandwidth: Int) {
        self.bandwidth = bandwidth
        self.uri = uri
    }

    /// The URI of the media playlist; empty if the tag has none.
    public var uri: String {
        get { attributes.text(.uri) ?? "" }
        set { attributes.setQuoted(newValue, for: .uri) }
    }
}
