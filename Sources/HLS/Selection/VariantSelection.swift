/// A criterion for selecting variant streams.
public enum VariantSelection: Sendable, Hashable {
    /// All variant streams.
    case all
    /// The variant stream with the highest bandwidth.
    case highest
    /// The variant stream with the lowest bandwidth.
    case lowest
    /// The variant stream with the highest bandwidth up to a limit in bits per second, otherwise with the lowest.
    case bandwidth(atMost: Int)
    /// The variant stream with the highest bandwidth among those with the greatest height up to a limit in pixels, or
    /// with the smallest height if all exceed the limit. Streams without a resolution match only if none has one.
    case height(atMost: Int)
    /// The variant streams with a codec that begins with a prefix: `avc1`, `hvc1.2`, `mp4a.40.2`.
    case codec(String)
    /// The variant streams with an audio rendition in a language (RFC 5646). `de` also matches `de-CH`.
    case language(String)
}

extension MultivariantPlaylist {
    /// Returns the variant streams that match a criterion, in playlist order.
    public func variants(_ selection: VariantSelection) -> [VariantStream] { variants([selection]) }

    /// Returns the variant streams that match all criteria. Each criterion is applied to the matches of the previous
    /// one: `[.codec("avc1"), .height(atMost: 720)]` selects among the variant streams in H.264.
    public func variants(_ selections: [VariantSelection]) -> [VariantStream] {
        selections.reduce(variants) { variants, selection in
            switch selection {
            case .all: variants
            case .highest: first(variants) { $0.bandwidth > $1.bandwidth }
            case .lowest: first(variants) { $0.bandwidth < $1.bandwidth }
            case .bandwidth(let limit): bandwidth(variants, limit)
            case .height(let limit): height(variants, limit)
            case .codec(let prefix): variants.filter { $0.codecs.contains { $0.hasPrefix(prefix) } }
            case .language(let language):
                variants.filter { renditions(.audio, of: $0).contains { $0.matchesLanguage(language) } }
            }
        }
    }

    /// Returns the renditions in the groups of a variant stream (RFC 8216bis §4.4.6.2.1), in playlist order.
    public func renditions(of variant: VariantStream) -> [Rendition] {
        renditions.filter { rendition in
            guard let type = rendition.type, let group = variant.group(type) else { return false }
            return rendition.groupID == group
        }
    }

    /// Returns the renditions of one type in the groups of a variant stream.
    public func renditions(_ type: RenditionType, of variant: VariantStream) -> [Rendition] {
        renditions(of: variant).filter { $0.type == type }
    }

    /// Returns the rendition to play: an unforced one in the language, preferably the default; otherwise the default in
    /// any language; otherwise the first with AUTOSELECT (RFC 8216bis §4.4.6.1); otherwise, except for subtitles, the
    /// first. Nil if there is none.
    public func rendition(_ type: RenditionType, of variant: VariantStream, language: String? = nil) -> Rendition? {
        let renditions = renditions(type, of: variant)
        if let language {
            let speaking = renditions.filter { $0.matchesLanguage(language) && !$0.isForced }
            if let rendition = speaking.first(where: \.isDefault) ?? speaking.first { return rendition }
        }
        return renditions.first(where: \.isDefault) ?? renditions.first(where: \.isAutoselect)
            ?? (type == .subtitles ? nil : renditions.first)
    }

    private func first(
        _ variants: [VariantStream], _ isBetter: (VariantStream, VariantStream) -> Bool
    ) -> [VariantStream] {
        variants.min(by: isBetter).map { [$0] } ?? []
    }

    private func bandwidth(_ variants: [VariantStream], _ limit: Int) -> [VariantStream] {
        let fitting = variants.filter { $0.bandwidth <= limit }
        return fitting.isEmpty
            ? first(variants) { $0.bandwidth < $1.bandwidth } : first(fitting) { $0.bandwidth > $1.bandwidth }
    }

    private func height(_ variants: [VariantStream], _ limit: Int) -> [VariantStream] {
        let heights = variants.compactMap { $0.resolution?.height }
        guard let height = heights.filter({ $0 <= limit }).max() ?? heights.min() else {
            return first(variants) { $0.bandwidth > $1.bandwidth }
        }
        return first(variants.filter { $0.resolution?.height == height }) { $0.bandwidth > $1.bandwidth }
    }
}

extension VariantStream {
    func group(_ type: RenditionType) -> String? {
        switch type {
        case .audio: audioGroup
        case .video: videoGroup
        case .subtitles: subtitlesGroup
        case .closedCaptions: closedCaptionsGroup
        }
    }
}

extension Rendition {
    /// Returns whether the rendition's language is `language` or a variant of it, such as `de-CH` for `de`.
    public func matchesLanguage(_ language: String) -> Bool { LanguageTag.matches(self.language, language) }
}

/// Language tags (RFC 5646).
public enum LanguageTag {
    /// Returns whether a tag is `language` or a variant of it, such as `de-CH` for `de`. Case is ignored.
    public static func matches(_ tag: String?, _ language: String) -> Bool {
        guard let tag = tag?.lowercased() else { return false }
        let language = language.lowercased()
        return tag == language || tag.hasPrefix(language + "-")
    }
}
