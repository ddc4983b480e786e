/// Writes a media playlist, tags of the whole first.
struct MediaPlaylistWriter {
    let version: Int?
    /// Tells which tags that say no more than their absence does are written all the same.
    let zeros: TagOrder

    func write(_ playlist: MediaPlaylist, to lines: inout LineWriter) {
        header(playlist, &lines)
        var conditions: SegmentConditions?
        // In their place: taken out of the array, a segment would be copied with all that it refers to.
        playlist.segments.withUnsafeBufferPointer { segments in
            for index in segments.indices {
                segment(segments[index], after: conditions, isFirst: index == 0, &lines)
                if segments[index].conditions !== conditions { conditions = segments[index].conditions }
            }
        }
        if let upcoming = playlist.upcoming { tags(of: upcoming, after: conditions, &lines) }
        for hint in playlist.preloadHints { lines.tag(.preloadHint, hint) }
        for report in playlist.renditionReports { lines.tag(.renditionReport, report) }
        if playlist.hasEndList { lines.tag(.endList) }
    }

    private func header(_ playlist: MediaPlaylist, _ lines: inout LineWriter) {
        if let version { lines.tag(.version, version) }
        for variable in playlist.variables { lines.tag(.define, variable) }
        if playlist.hasIndependentSegments { lines.tag(.independentSegments) }
        if let start = playlist.start { lines.tag(.start, start) }
        if let duration = playlist.targetDuration { lines.tag(.targetDuration, duration) }
        if let control = playlist.serverControl { lines.tag(.serverControl, control) }
        if let information = playlist.partInformation { lines.tag(.partInformation, information) }
        if playlist.mediaSequence != 0 || zeros.has(.mediaSequence) {
            lines.tag(.mediaSequence, playlist.mediaSequence)
        }
        if playlist.discontinuitySequence != 0 || zeros.has(.discontinuitySequence) {
            lines.tag(.discontinuitySequence, playlist.discontinuitySequence)
        }
        if let type = playlist.type { lines.tag(.playlistType, type.rawValue) }
        if playlist.hasIFramesOnly { lines.tag(.iFramesOnly) }
        if let skip = playlist.skip { lines.tag(.skip, skip) }
        for tag in playlist.unknownTags { lines.line(tag.description) }
    }

    private func segment(
        _ segment: MediaSegment, after previous: SegmentConditions?, isFirst: Bool, _ lines: inout LineWriter
    ) {
        let isDurationFirst = isFirst && startsWithUnknownTag(segment)
        if isDurationFirst { duration(segment, &lines) }
        tags(of: segment, after: previous, &lines)
        if !isDurationFirst { duration(segment, &lines) }
        if let range = segment.byteRange { lines.tag(.byteRange, range) }
        lines.line(segment.uri)
    }

    /// An unknown tag before anything else of the first segment would be read as one of the playlist.
    private func startsWithUnknownTag(_ segment: MediaSegment) -> Bool {
        guard segment.conditions == nil, !segment.isDiscontinuous else { return false }
        return if case .unknown? = segment.tags.first(where: \.isLine) { true } else { false }
    }

    private func duration(_ segment: MediaSegment, _ lines: inout LineWriter) {
        lines.segmentTag(segment.duration, segment.writtenTitle) {
            segment.tags.compactMap { if case .durationParameters(let text) = $0 { text } else { nil } }
        }
    }

    private func tags(of segment: MediaSegment, after previous: SegmentConditions?, _ lines: inout LineWriter) {
        if segment.isDiscontinuous { lines.tag(.discontinuity) }
        if segment.conditions !== previous { conditions(segment, after: previous, &lines) }
        for tag in segment.tags {
            switch tag {
            case .programDateTime(let date): lines.tag(.programDateTime, date)
            case .bitrate(let rate): lines.tag(.bitrate, rate)
            case .part(let part): lines.tag(.part, part)
            case .dateRange(let range): lines.tag(.dateRange, range)
            case .cue(let cue):
                if let value = cue.value { lines.tag(cue.tag, value) } else { lines.tag(cue.tag) }
            case .unknown(let tag): lines.line(tag.description)
            case .durationParameters: break
            }
        }
        if segment.isGap { lines.tag(.gap) }
    }

    /// The map goes where the keys are in force that it is encrypted with.
    private func conditions(_ segment: MediaSegment, after previous: SegmentConditions?, _ lines: inout LineWriter) {
        var keys = previous?.keys ?? []
        if let map = segment.map, map != previous?.map {
            self.keys(from: keys, to: map.keys, &lines)
            lines.tag(.map, map)
            keys = map.keys
        }
        self.keys(from: keys, to: segment.keys, &lines)
    }

    /// The fewest tags that turn one set of keys into another.
    private func keys(from old: [EncryptionKey], to new: [EncryptionKey], _ lines: inout LineWriter) {
        guard old != new else { return }
        var changed = new.filter { !old.contains($0) }
        if changed.reduce(old, { $0.applying($1) }) != new { changed = [EncryptionKey(method: .none)] + new }
        for key in changed { lines.tag(.key, key) }
    }
}

extension SegmentTag {
    /// Whether the tag is a line of its own.
    fileprivate var isLine: Bool {
        if case .durationParameters = self { false } else { true }
    }
}
