public import HLS

/// What is taken of a multivariant playlist.
public struct StreamChoice: Sendable, Hashable {
    /// Which variant stream; of those left the one of the greatest bandwidth.
    public var variants: [VariantSelection]
    /// The language of its sound (RFC 5646); nil takes the default.
    public var language: String?
    /// Whether all its audio renditions are taken, instead of one.
    public var takesAllAudio: Bool
    /// Whether its subtitles are taken, in all languages.
    public var takesSubtitles = false

    /// What is taken of an asset: its own playlists name what was chosen of the stream, so all their sound.
    public static var allOfAsset: StreamChoice { StreamChoice(takesAllAudio: true) }

    /// A choice; without arguments, the best of everything.
    public init(variants: [VariantSelection] = [], language: String? = nil, takesAllAudio: Bool = false) {
        self.variants = variants
        self.language = language
        self.takesAllAudio = takesAllAudio
    }
}
