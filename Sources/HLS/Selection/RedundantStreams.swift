/// A multivariant playlist without redundant variant streams, and the URIs of those left out.
///
/// Variant streams that differ in nothing but their URIs, rendition groups and pathways are copies of one stream: the
/// backups of RFC 8216bis §6.2.4, and the pathways of content steering (§7). The renditions of a copy's groups are
/// copies too.
public struct RedundantStreams: Sendable, Hashable {
    /// The playlist with one copy of each variant stream: that of the preferred pathway, the first where there are several.
    public let playlist: MultivariantPlaylist
    /// The URIs of the other copies of a media playlist, in order of preference, by its URI in ``playlist``.
    public let copies: [String: [String]]

    /// Finds the copies in `playlist`.
    ///
    /// The preferred pathway is that of EXT-X-CONTENT-STEERING (§4.4.6.6), otherwise that of the first variant stream.
    /// The steering server isn't asked.
    public init(of playlist: MultivariantPlaylist) {
        let variants = playlist.variants
        let preferred = playlist.contentSteering?.pathwayID ?? variants.first?.pathway
        let ordered = variants.filter { $0.pathway == preferred } + variants.filter { $0.pathway != preferred }
        var primaries: [Identity: VariantStream] = [:]
        var copies: [String: [String]] = [:]
        func note(_ copy: String?, of primary: String?) {
            guard let copy, let primary, copy != primary, copies[primary]?.contains(copy) != true else { return }
            copies[primary, default: []].append(copy)
        }
        for variant in ordered {
            let identity = Identity(variant, in: playlist)
            guard let primary = primaries[identity] else {
                primaries[identity] = variant
                continue
            }
            note(variant.uri, of: primary.uri)
            for rendition in playlist.renditions(of: primary) {
                let copy = playlist.renditions(of: variant).first { $0.identity == rendition.identity }
                note(copy?.uri, of: rendition.uri)
            }
        }
        let kept = Set(primaries.values)
        var reduced = playlist
        reduced.entries.removeAll { entry in
            if case .variant(let variant) = entry { !kept.contains(variant) } else { false }
        }
        self.playlist = reduced
        self.copies = copies
    }

    /// What copies of a variant stream have in common.
    private struct Identity: Hashable {
        var attributes: Set<AttributeList.Attribute>
        var renditions: [RenditionType: Set<Set<AttributeList.Attribute>>]

        init(_ variant: VariantStream, in playlist: MultivariantPlaylist) {
            attributes = variant.attributes.identity
            renditions = Dictionary(grouping: playlist.renditions(of: variant)) { $0.type ?? .video }
                .mapValues { Set($0.map(\.identity)) }
        }
    }
}

extension VariantStream {
    /// The pathway of the stream; “.” where it names none (§4.4.6.2).
    fileprivate var pathway: String { pathwayID ?? "." }
}

extension Rendition {
    /// What copies of a rendition have in common: also whether its media is in a playlist of its own.
    fileprivate var identity: Set<AttributeList.Attribute> {
        attributes.identity.union(uri == nil ? [] : [.init(name: .uri, value: .quoted(""))])
    }
}

extension AttributeList {
    /// The attributes that tell where a copy is, or name its groups.
    private static let places: Set<AttributeName> = [
        .uri, .groupID, .pathwayID, .audio, .video, "SUBTITLES", "CLOSED-CAPTIONS", "STABLE-VARIANT-ID",
        "STABLE-RENDITION-ID",
    ]

    /// The attributes that copies have in common.
    fileprivate var identity: Set<Attribute> { Set(attributes.filter { !Self.places.contains($0.name) }) }
}
