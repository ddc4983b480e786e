extension MultivariantPlaylist {
    /// The variant streams that a selection takes, in the order of the playlist.
    public func variants(_ selection: VariantSelection) -> [VariantStream] {
        variants([selection])
    }

    /// The variant streams that all selections take, each applied to what the one before took: `[.codec("avc1"),
    /// .height(atMost: 720)]` is the best picture up to 720 pixels of those in H.264.
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
                variants.filter { renditions(.audio, of: $0).contains { $0.speaks(language) } }
            }
        }
    }

    /// The renditions that belong to a variant stream: those of the groups that it names (RFC 8216bis, section
    /// 4.4.6.2.1), in the order of the playlist.
    public func renditions(of variant: VariantStream) -> [Rendition] {
        renditions.filter { rendition in
            guard let type = rendition.type, let group = variant.group(type) else { return false }
            return rendition.groupID == group
        }
    }

    /// The renditions of one type that belong to a variant stream.
    public func renditions(_ type: RenditionType, of variant: VariantStream) -> [Rendition] {
        renditions(of: variant).filter { $0.type == type }
    }

    /// The rendition of a type to play: of the language where there is one, else the default, else the first that may
    /// be chosen automatically (4.4.6.1). For a language, forced subtitles are passed over.
    public func rendition(_ type: RenditionType, of variant: VariantStream, language: String? = nil) -> Rendition? {
        let renditions = renditions(type, of: variant)
        if let language {
            let speaking = renditions.filter { $0.speaks(language) && !$0.isForced }
            if let rendition = speaking.first(where: \.isDefault) ?? speaking.first { return rendition }
        }
        return renditions.first(where: \.isDefault) ?? renditions.first(where: \.isAutoselect)
    }

    private func first(
        _ variants: [VariantStream], _ isBetter: (VariantStream, VariantStream) -> Bool
    ) -> [VariantStream] {
        var best: VariantStream?
        for variant in variants {
            if let known = best, !isBetter(variant, known) { continue }
            best = variant
        }
        return best.map { [$0] } ?? []
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
    /// The group of a type that belongs to the stream.
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
    /// Whether the rendition's language is one, or a kind of one: `de-CH` is German too.
    public func speaks(_ language: String) -> Bool {
        guard let own = self.language?.lowercased() else { return false }
        let language = language.lowercased()
        return own == language || own.hasPrefix(language + "-")
    }
}
