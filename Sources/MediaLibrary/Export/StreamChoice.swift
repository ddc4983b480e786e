public import HLS

/// A selection from a multivariant playlist.
public struct StreamChoice: Sendable, Hashable {
    /// The criteria for the variant stream. If several match, the one with the highest bandwidth is chosen.
    public var variants: [VariantSelection]
    /// The language of the audio (RFC 5646); nil means the default rendition.
    public var language: String?
    /// Whether all audio renditions are included rather than one.
    public var includesAllAudio: Bool
    /// Whether all subtitle renditions are included.
    public var includesSubtitles = false

    /// Whether a variant stream is skipped if it has no video or is missing a significant share of the media, and a
    /// more complete one exists. The default audio rendition is replaced if it has hardly any media, unless a language
    /// is chosen. Segments marked as gaps (EXT-X-GAP) don't count as media.
    ///
    /// The playlists of all variant streams are read, so it's intended for stored streams.
    public var prefersMostCompleteVariant = false

    /// The selection for assets: all audio, because an asset's playlists only contain renditions selected for download.
    public static var allOfAsset: StreamChoice {
        var choice = StreamChoice(includesAllAudio: true)
        choice.prefersMostCompleteVariant = true
        return choice
    }

    /// Creates a selection; by default the best variant stream with its default audio.
    public init(variants: [VariantSelection] = [], language: String? = nil, includesAllAudio: Bool = false) {
        self.variants = variants
        self.language = language
        self.includesAllAudio = includesAllAudio
    }
}

extension MultivariantPlaylist {
    /// Removes variant streams and renditions with unavailable playlists, unless none is available. A variant stream
    /// also needs an available rendition in each of its audio and video groups.
    mutating func removeUnavailable(_ isAvailable: (String) -> Bool) {
        // A rendition without a playlist is part of the variant streams.
        func isAvailableIn(_ rendition: Rendition) -> Bool { rendition.uri.map(isAvailable) ?? true }
        func name(_ type: RenditionType?, _ group: String) -> String { "\(type?.rawValue ?? "") \(group)" }
        let groups = Set(renditions.map { name($0.type, $0.groupID) })
        let available = Set(renditions.filter(isAvailableIn).map { name($0.type, $0.groupID) })
        let unavailable = groups.subtracting(available)
        func isPlayable(_ variant: VariantStream) -> Bool {
            let needed = [variant.audioGroup.map { name(.audio, $0) }, variant.videoGroup.map { name(.video, $0) }]
            return isAvailable(variant.uri) && needed.allSatisfy { $0.map(unavailable.contains) != true }
        }
        let anyIsPlayable = variants.contains(where: isPlayable)
        let anyIsAvailable = variants.contains { isAvailable($0.uri) }
        entries.removeAll { entry in
            switch entry {
            case .variant(let variant):
                anyIsPlayable ? !isPlayable(variant) : anyIsAvailable && !isAvailable(variant.uri)
            case .rendition(let rendition):
                available.contains(name(rendition.type, rendition.groupID)) && !isAvailableIn(rendition)
            default: false
            }
        }
    }
}
