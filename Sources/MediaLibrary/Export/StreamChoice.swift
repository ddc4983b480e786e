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

    /// Whether the variant stream with the most media is taken, and that of the highest bandwidth among those with about as
    /// much; the first audio rendition likewise, unless a language is chosen. Segments of EXT-X-GAP don't count.
    ///
    /// The playlists of all variant streams are read, so this is for streams that are stored.
    public var prefersMostMedia = false

    /// Everything of an asset: its own playlists name the variant streams and renditions that were selected.
    public static var allOfAsset: StreamChoice {
        var choice = StreamChoice(takesAllAudio: true)
        choice.prefersMostMedia = true
        return choice
    }

    /// A choice; without arguments, the best of everything.
    public init(variants: [VariantSelection] = [], language: String? = nil, takesAllAudio: Bool = false) {
        self.variants = variants
        self.language = language
        self.takesAllAudio = takesAllAudio
    }
}
