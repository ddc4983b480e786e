extension MediaPlaylist {
    /// The playlist with every URI replaced: resolved against a base, for instance.
    ///
    /// - Parameter transform: takes what a URI names and the URI, and gives the new one.
    public func mappingURIs(_ transform: (ReferenceRole, String) -> String) -> MediaPlaylist {
        // An absent URI stays absent: an empty reference would resolve to the playlist itself.
        func mapped(_ role: ReferenceRole, _ uri: String) -> String { uri.isEmpty ? uri : transform(role, uri) }
        var playlist = self
        var last: (old: SegmentConditions, new: SegmentConditions)?
        for index in playlist.segments.indices {
            MediaPlaylist.map(&playlist.segments[index], mapped, &last)
        }
        if var upcoming {
            MediaPlaylist.map(&upcoming, mapped, &last)
            playlist.upcoming = upcoming
        }
        for index in preloadHints.indices {
            playlist.preloadHints[index].uri = mapped(.preloadHint, preloadHints[index].uri)
        }
        for index in renditionReports.indices {
            playlist.renditionReports[index].uri = mapped(.renditionReport, renditionReports[index].uri)
        }
        return playlist
    }

    /// The playlist with every URI resolved against the URL that it came from (RFC 8216bis, section 4.1).
    public func resolvingURIs(against base: String) -> MediaPlaylist {
        let base = URLReference(base)
        return mappingURIs { _, uri in URLReference(uri).resolved(against: base).description }
    }

    private static func map(
        _ segment: inout MediaSegment, _ transform: (ReferenceRole, String) -> String,
        _ last: inout (old: SegmentConditions, new: SegmentConditions)?
    ) {
        if !segment.uri.isEmpty { segment.uri = transform(.mediaSegment, segment.uri) }
        if let conditions = segment.conditions {
            // Shared keys and maps stay shared.
            let new = last?.old === conditions ? last?.new : nil
            let mapped = new ?? map(conditions, transform)
            last = (conditions, mapped)
            segment.share(mapped)
        }
        guard !segment.tags.isEmpty else { return }
        segment.tags = segment.tags.map { tag in
            switch tag {
            case .part(var part):
                part.uri = transform(.partialSegment, part.uri)
                return .part(part)
            case .dateRange(var range):
                if let uri = range.attributes.text(.assetURI) {
                    range.attributes.setQuoted(transform(.interstitialAsset, uri), for: .assetURI)
                }
                if let uri = range.attributes.text(.assetList) {
                    range.attributes.setQuoted(transform(.interstitialAssetList, uri), for: .assetList)
                }
                return .dateRange(range)
            default: return tag
            }
        }
    }

    private static func map(
        _ conditions: SegmentConditions, _ transform: (ReferenceRole, String) -> String
    ) -> SegmentConditions {
        var section = conditions.map
        if let uri = section?.uri { section?.uri = transform(.initializationSection, uri) }
        if let keys = section?.keys { section?.keys = keys.map { $0.mappingURI(.key, transform) } }
        return SegmentConditions(keys: conditions.keys.map { $0.mappingURI(.key, transform) }, map: section)
    }
}

extension EncryptionKey {
    func mappingURI(_ role: ReferenceRole, _ transform: (ReferenceRole, String) -> String) -> EncryptionKey {
        guard let uri else { return self }
        var key = self
        key.uri = transform(role, uri)
        return key
    }
}
