/// A writer of media playlists in canonical order.
struct MediaPlaylistWriter {
    let version: Int?

    func write(_ playlist: MediaPlaylist, to lines: inout LineWriter) {
        var common = playlist.common
        common.version = version
        lines.tags(common)
        fields(of: playlist, followingSegments: false, &lines)
        for tag in playlist.unknownTags { lines.line(tag.description) }
        var conditions: SegmentConditions?
        // Copying a segment out of the array would retain all its references.
        playlist.segments.withUnsafeBufferPointer { segments in
            for index in segments.indices {
                segment(segments[index], after: conditions, isFirst: index == 0, &lines)
                if segments[index].conditions !== conditions { conditions = segments[index].conditions }
            }
        }
        if let upcoming = playlist.upcoming { tags(of: upcoming, after: conditions, &lines) }
        fields(of: playlist, followingSegments: true, &lines)
    }

    private func fields(of playlist: MediaPlaylist, followingSegments: Bool, _ lines: inout LineWriter) {
        for tag in PlaylistTag.allCases {
            if case .mediaPlaylist(let field, followingSegments) = tag.definition.place {
                field.write(playlist, tag, &lines)
            }
        }
    }

    private func segment(
        _ segment: MediaSegment, after previous: SegmentConditions?, isFirst: Bool, _ lines: inout LineWriter
    ) {
        let isDurationFirst = isFirst && startsWithUnknownTag(segment)
        if isDurationFirst { lines.duration(of: segment) }
        tags(of: segment, after: previous, &lines)
        if !isDurationFirst { lines.duration(of: segment) }
        if let range = segment.byteRange { lines.tag(.byteRange, range) }
        lines.line(segment.uri)
    }

    /// Returns whether a segment begins with an unknown tag, which a parser would assign to the playlist.
    private func startsWithUnknownTag(_ segment: MediaSegment) -> Bool {
        guard segment.conditions == nil, !segment.isDiscontinuous else { return false }
        let first = segment.tags.first { if case .durationParameters = $0 { false } else { true } }
        return if case .unknown? = first { true } else { false }
    }

    private func tags(of segment: MediaSegment, after previous: SegmentConditions?, _ lines: inout LineWriter) {
        if segment.isDiscontinuous { lines.tag(.discontinuity) }
        if segment.conditions !== previous { conditions(segment, after: previous, &lines) }
        for tag in segment.tags { tag.write(to: &lines) }
        if segment.isGap { lines.tag(.gap) }
    }

    /// Writes the keys and the map that changed. The map follows the keys that encrypt it and precedes the segment's
    /// keys.
    private func conditions(_ segment: MediaSegment, after previous: SegmentConditions?, _ lines: inout LineWriter) {
        var keys = previous?.keys ?? []
        if let map = segment.map, map != previous?.map {
            lines.keys(from: keys, to: map.keys)
            lines.tag(.map, map.attributes)
            keys = map.keys
        }
        lines.keys(from: keys, to: segment.keys)
    }
}
