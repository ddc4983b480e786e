/// What a reference of a playlist names.
public enum ReferenceRole: Sendable, Hashable {
    /// A media segment: a URI line of a media playlist (RFC 8216bis, section 4.4.4.1).
    case mediaSegment
    /// A variant stream's media playlist: the line after EXT-X-STREAM-INF (4.4.6.2).
    case variantStream
    /// A rendition's media playlist: EXT-X-MEDIA (4.4.6.1).
    case rendition
    /// An I-frame playlist: EXT-X-I-FRAME-STREAM-INF (4.4.6.3).
    case iFramePlaylist
    /// A key of media segments: EXT-X-KEY (4.4.4.4).
    case key
    /// A key to preload: EXT-X-SESSION-KEY (4.4.6.5).
    case sessionKey
    /// A media initialization section: EXT-X-MAP (4.4.4.5).
    case initializationSection
    /// A partial segment: EXT-X-PART (4.4.4.9).
    case partialSegment
    /// A resource that will be needed: EXT-X-PRELOAD-HINT (4.4.5.3).
    case preloadHint
    /// Another rendition's media playlist: EXT-X-RENDITION-REPORT (4.4.5.4).
    case renditionReport
    /// Session data in JSON: EXT-X-SESSION-DATA (4.4.6.4).
    case sessionData
    /// A steering manifest: EXT-X-CONTENT-STEERING (4.4.6.6).
    case steeringManifest
    /// An interstitial's multivariant or media playlist: X-ASSET-URI of EXT-X-DATERANGE (appendix D).
    case interstitialAsset
    /// A list of interstitials in JSON: X-ASSET-LIST of EXT-X-DATERANGE (appendix D).
    case interstitialAssetList
    /// The URI attribute of a tag that the RFC doesn't define; the tag's name goes along.
    case other(tag: String)
}
