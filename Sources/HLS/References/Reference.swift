/// A reference in a playlist: a URI line, or the URI in an attribute.
public struct Reference: Sendable, Hashable {
    /// The role of the resource.
    public var role: ReferenceRole
    /// The relative or absolute URI after variable substitution (RFC 8216bis §4.3). Invalid UTF-8 is percent-encoded.
    /// After 64 MiB of substituted text, variables are no longer substituted.
    public var uri: String
    /// The position of the written URI in the playlist's bytes, without quotes.
    public var bytes: Range<Int>
    /// The line, counted from 1.
    public var line: Int
    /// The name of the attribute that contains the URI; nil for a URI line.
    public var attribute: AttributeName?
    /// Whether the written URI is quoted.
    public var isQuoted: Bool
    /// Whether the written URI refers to variables.
    public var hasVariables: Bool

    /// The form of the URI (RFC 3986 §4.2).
    public var form: URLReference.Form { URLReference.form(of: uri) }
}

/// The role of a resource that a playlist refers to.
public enum ReferenceRole: Sendable, Hashable {
    /// A media segment: a URI line of a media playlist (RFC 8216bis §4.4.4.1).
    case mediaSegment
    /// The media playlist of a variant stream: the line after EXT-X-STREAM-INF (RFC 8216bis §4.4.6.2).
    case variantStream
    /// The media playlist of a rendition: EXT-X-MEDIA (RFC 8216bis §4.4.6.1).
    case rendition
    /// An I-frame playlist: EXT-X-I-FRAME-STREAM-INF (RFC 8216bis §4.4.6.3).
    case iFramePlaylist
    /// A key of media segments: EXT-X-KEY (RFC 8216bis §4.4.4.4).
    case key
    /// A key that clients can preload: EXT-X-SESSION-KEY (RFC 8216bis §4.4.6.5).
    case sessionKey
    /// A media initialization section: EXT-X-MAP (RFC 8216bis §4.4.4.5).
    case initializationSection
    /// A partial segment: EXT-X-PART (RFC 8216bis §4.4.4.9).
    case partialSegment
    /// A resource that clients will soon need: EXT-X-PRELOAD-HINT (RFC 8216bis §4.4.5.3).
    case preloadHint
    /// The media playlist of another rendition: EXT-X-RENDITION-REPORT (RFC 8216bis §4.4.5.4).
    case renditionReport
    /// Session data, in JSON by default: EXT-X-SESSION-DATA (RFC 8216bis §4.4.6.4).
    case sessionData
    /// A steering manifest: EXT-X-CONTENT-STEERING (RFC 8216bis §4.4.6.6).
    case steeringManifest
    /// The playlist of an interstitial: X-ASSET-URI of EXT-X-DATERANGE (appendix D).
    case interstitialAsset
    /// A JSON list of the assets of an interstitial: X-ASSET-LIST of EXT-X-DATERANGE (appendix D).
    case interstitialAssetList
    /// A URI in any other tag or attribute, with the name of the tag.
    case other(tag: String)
}
