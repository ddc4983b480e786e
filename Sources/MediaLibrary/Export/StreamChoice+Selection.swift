internal import HLS

extension StreamChoice {
    /// Creates a choice from criteria for the variant stream.
    ///
    /// - Parameters:
    ///   - codec: The prefix of a codec, such as `avc1` (RFC 6381).
    ///   - maximumHeight: The maximum height in pixels.
    ///   - maximumBandwidth: The maximum bandwidth in bits per second.
    ///   - language: The audio language (RFC 5646).
    public init(
        codec: String?, maximumHeight: Int?, maximumBandwidth: Int?, lowest: Bool, language: String?,
        includesAllAudio: Bool
    ) {
        let selections: [VariantSelection?] = [
            codec.map { .codec($0) }, language.map { .language($0) }, maximumHeight.map { .height(atMost: $0) },
            maximumBandwidth.map { .bandwidth(atMost: $0) }, lowest ? .lowest : nil,
        ]
        self.init(variants: selections.compactMap(\.self), language: language, includesAllAudio: includesAllAudio)
    }

    /// Creates a choice of the tracks that a download selected.
    public init(downloaded selection: StreamSelection) {
        var language: String?
        var includesAllAudio = selection.audio == .all
        if case .some(let languages) = selection.audio {
            includesAllAudio = languages.count > 1
            if !includesAllAudio { language = languages.first }
        }
        let variants: [VariantSelection] =
            switch selection.variants {
            case .worst: [.lowest]
            case .height(let height): [.height(atMost: height)]
            case .bandwidth(let bandwidth): [.bandwidth(atMost: bandwidth)]
            case .best, .all: []
            }
        self.init(variants: variants, language: language, includesAllAudio: includesAllAudio)
    }
}
