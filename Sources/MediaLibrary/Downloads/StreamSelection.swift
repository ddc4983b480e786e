internal import HLS

/// The variant streams and renditions of a stream to download.
public struct StreamSelection: Sendable, Hashable, Codable {
    /// A selection of variant streams.
    public enum Variants: Sendable, Hashable, Codable {
        /// The variant stream with the highest bandwidth.
        case best
        /// The variant stream with the lowest bandwidth.
        case worst
        /// The tallest variant stream up to a height in pixels; the shortest if all exceed it.
        case height(Int)
        /// The variant stream with the highest bandwidth up to a limit in bits per second; the one with the lowest
        /// bandwidth if all exceed it.
        case bandwidth(Int)
        /// All variant streams.
        case all
    }

    /// A selection of renditions of one type.
    public enum Languages: Sendable, Hashable, Codable {
        /// The rendition that a player chooses by default; none for subtitles.
        case standard
        /// The renditions in the given languages (RFC 5646), where `de` includes `de-CH`; the standard renditions if
        /// there are none.
        case some([String])
        /// All renditions.
        case all
        /// No renditions. Audio contained in the variant streams is still downloaded.
        case none
    }

    /// The variant streams; the best by default.
    public var variants: Variants
    /// The audio renditions; the standard ones by default.
    public var audio: Languages
    /// The subtitle renditions; all by default.
    public var subtitles: Languages

    /// Creates a selection; by default the best video with its standard audio and all subtitles.
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

    /// Returns the selected variant streams and their selected renditions, without duplicates.
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

    func renditions(
        _ type: RenditionType, of variant: VariantStream, in playlist: MultivariantPlaylist
    ) -> [Rendition] {
        let all = playlist.renditions(type, of: variant)
        switch type == .subtitles ? subtitles : type == .audio ? audio : .standard {
        case .all: return all
        case .none: return []
        case .standard: return standard(type, of: variant, in: playlist)
        case .some(let languages):
            let chosen = all.filter { rendition in languages.contains { rendition.matchesLanguage($0) } }
            return chosen.isEmpty ? standard(type, of: variant, in: playlist) : chosen
        }
    }

    private func standard(
        _ type: RenditionType, of variant: VariantStream, in playlist: MultivariantPlaylist
    ) -> [Rendition] {
        guard type != .subtitles else { return [] }
        return playlist.rendition(type, of: variant).map { [$0] } ?? []
    }
}
