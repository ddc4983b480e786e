/// A multivariant playlist without its redundant variant streams, and the URIs of the copies.
///
/// Variant streams that differ only in their URIs, rendition groups, pathways and stable IDs are copies of one stream:
/// backups, or content steering pathways (RFC 8216bis §7). Renditions in the groups of a copy are copies, too.
public struct RedundantStreams: Sendable, Hashable {
    /// The playlist with one copy of each variant stream: the first on the preferred pathway, otherwise the first.
    public let playlist: MultivariantPlaylist
    /// The URIs of the other copies of a variant stream or rendition in order of preference, by the preferred URI.
    public let copies: [String: [String]]

    /// Removes the redundant variant streams from a playlist. The preferred pathway is that of EXT-X-CONTENT-STEERING
    /// (RFC 8216bis §4.4.6.6), otherwise that of the first variant stream.
    public init(of playlist: MultivariantPlaylist) {
        let variants = playlist.variants
        let preferred = playlist.contentSteering?.pathwayID ?? variants.first?.pathway
        let ordered = variants.filter { $0.pathway == preferred } + variants.filter { $0.pathway != preferred }
        var primaries: [Identity: VariantStream] = [:]
        var copies: [String: [String]] = [:]
        func add(_ copy: String?, of primary: String?) {
            guard let copy, let primary, copy != primary, copies[primary]?.contains(copy) != true else { return }
            copies[primary, default: []].append(copy)
        }
        for variant in ordered {
            let identity = Identity(variant, in: playlist)
            guard let primary = primaries[identity] else {
                primaries[identity] = variant
                continue
            }
            add(variant.uri, of: primary.uri)
            for rendition in playlist.renditions(of: primary) {
                let copy = playlist.renditions(of: variant).first { $0.identity == rendition.identity }
                add(copy?.uri, of: rendition.uri)
            }
        }
        let selected = Set(primaries.values)
        var reduced = playlist
        reduced.entries.removeAll { entry in
            if case .variant(let variant) = entry { !selected.contains(variant) } else { false }
        }
        self.playlist = reduced
        self.copies = copies
    }

    /// The properties that all copies of a variant stream share.
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
    fileprivate var pathway: String { pathwayID ?? "." }
}

extension Rendition {
    /// The properties that all copies of a rendition share, including whether it has its own media playlist.
    fileprivate var identity: Set<AttributeList.Attribute> {
        attributes.identity.union(uri == nil ? [] : [.init(name: .uri, value: .quoted(""))])
    }
}

extension AttributeList {
    /// The attributes that may differ between copies.
    private static let copyAttributes: Set<AttributeName> = [
        .uri, .groupID, .pathwayID, .audio, .video, "SUBTITLES", "CLOSED-CAPTIONS", "STABLE-VARIANT-ID",
        "STABLE-RENDITION-ID",
    ]

    fileprivate var identity: Set<Attribute> { Set(attributes.filter { !Self.copyAttributes.contains($0.name) }) }
}
