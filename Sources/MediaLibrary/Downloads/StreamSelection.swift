internal import HLS

/// Which variant streams and renditions of a stream are downloaded.
public struct StreamSelection: Sendable, Hashable, Codable {
    /// Which variant streams.
    public enum Variants: Sendable, Hashable, Codable {
        /// The one of the greatest bandwidth.
        case best
        /// The one of the least bandwidth.
        case worst
        /// The tallest up to a height in pixels.
        case height(Int)
        /// The one of the greatest bandwidth up to a limit, in bits per second.
        case bandwidth(Int)
        /// All of them.
        case all
    }

    /// Which renditions of one type.
    public enum Languages: Sendable, Hashable, Codable {
        /// Those that are played where nobody chooses.
        case standard
        /// Those of these languages (RFC 5646); `de` is also `de-CH`. Where there is none of them, the standard ones.
        case some([String])
        /// All of them.
        case all
        /// None; of sound, only that in the variant streams themselves.
        case none
    }

    /// Which variant streams; the best unless set.
    public var variants: Variants
    /// Which sound; the standard one unless set.
    public var audio: Languages
    /// Which subtitles; all unless set.
    public var subtitles: Languages

    /// A selection; without arguments the best pictures with their standard sound and all subtitles.
    public init(variants: Variants = .best, audio: Languages = .standard, subtitles: Languages = .all) {
        self.variants = variants
        self.audio = audio
        self.subtitles = subtitles
    }

    var variantSelections: [VariantSelection] {
        switch variants {
        case .best: [.highest]
        case .worst: [.lowest]
        case .height(let height): [.height(atMost: height)]
        case .bandwidth(let bandwidth): [.bandwidth(atMost: bandwidth)]
        case .all: [.all]
        }
    }

    /// The variant streams to take, and all their renditions, each once.
    func choose(from playlist: MultivariantPlaylist) -> (variants: [VariantStream], renditions: [Rendition]) {
        let variants = playlist.variants(variantSelections)
        var chosen: [Rendition] = []
        for variant in variants {
            for type in [RenditionType.video, .audio, .subtitles, .closedCaptions] {
                for rendition in renditions(type, of: variant, in: playlist) where !chosen.contains(rendition) {
                    chosen.append(rendition)
                }
            }
        }
        return (variants, chosen)
    }

    /// The renditions of a type to take for a variant stream.
    func renditions(
        _ type: RenditionType, of variant: VariantStream, in playlist: MultivariantPlaylist
    ) -> [Rendition] {
        let all = playlist.renditions(type, of: variant)
        switch type == .subtitles ? subtitles : type == .audio ? audio : .standard {
        case .all: return all
        case .none: return []
        case .standard: return standard(type, of: variant, in: playlist)
        case .some(let languages):
            let chosen = all.filter { rendition in languages.contains { rendition.speaks($0) } }
            return chosen.isEmpty ? standard(type, of: variant, in: playlist) : chosen
        }
    }

    private func standard(
        _ type: RenditionType, of variant: VariantStream, in playlist: MultivariantPlaylist
    ) -> [Rendition] {
        let played = playlist.rendition(type, of: variant) ?? playlist.renditions(type, of: variant).first
        guard type != .subtitles else { return [] }
        return played.map { [$0] } ?? []
    }
}
