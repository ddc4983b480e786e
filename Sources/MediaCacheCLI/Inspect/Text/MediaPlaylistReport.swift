import HLS

/// A media playlist as text for people: its segments are summed up.
struct MediaPlaylistReport {
    /// The playlist.
    var playlist: MediaPlaylist
    /// Where it came from, and how its references are shown.
    var inspection: Inspection

    /// The facts, a line for each.
    var text: String {
        let parts = PartSummary(playlist)
        return PlaylistReport.facts([
            "Playlist": inspection.name,
            "Kind": kind,
            "Version": PlaylistReport.version(playlist.version, required: playlist.requiredVersion),
            "Duration": duration,
            "Segments": segments,
            "First": playlist.segments.first?.uri.unlessEmpty,
            "Last": playlist.segments.count > 1 ? playlist.segments.last?.uri.unlessEmpty : nil,
            "Target duration": playlist.targetDuration.map { "\($0) s" } ?? "missing",
            "Segment length": segmentLength,
            "Wall clock": wallClock,
            "Encryption": EncryptionSummary(playlist).text,
            "Initialization": initialization,
            "Byte ranges": byteRanges,
            "Discontinuities": discontinuities,
            "Gaps": PlaylistReport.count(
                playlist.segments.count(where: \.isGap), "segment is absent", "segments are absent"),
            "Parts": parts.text,
            "Left out": playlist.skip.map { "\($0.count.counted("segment")) before the first (a delta update)" },
            "Start": PlaylistReport.start(playlist.start),
            "Server": server,
            "Hints": PlaylistReport.list(playlist.preloadHints.map(hint)),
            "Other renditions": PlaylistReport.count(playlist.renditionReports.count, "report", "reports"),
            "Date ranges": dateRanges,
            "Independent": playlist.hasIndependentSegments ? "every segment starts with an independent frame" : nil,
            "Variables": PlaylistReport.variables(inspection.parsed.variables),
            "Other tags": PlaylistReport.unknownTags(inspection.unknownTags),
        ])
    }

    private var kind: String {
        let name = playlist.hasIFramesOnly ? "media playlist of I-frames" : "media playlist"
        switch (playlist.hasEndList, playlist.type) {
        case (true, _): return "\(name), on demand"
        case (false, .onDemand): return "\(name), on demand (but without EXT-X-ENDLIST)"
        case (false, .event): return "\(name), live: an event, to which segments are only added"
        case (false, nil): return "\(name), live"
        }
    }

    private var duration: String {
        let nanoseconds = playlist.durationNanoseconds
        let exact = "\(DecimalValue(nanoseconds: nanoseconds)) s"
        return nanoseconds < 60_000_000_000
            ? exact : "\(DurationText.describe(.nanoseconds(nanoseconds))) (\(exact))"
    }

    private var segments: String {
        guard !playlist.segments.isEmpty else { return "none" }
        let (first, last) = (playlist.firstMediaSequence, playlist.nextMediaSequence &- 1)
        let sequence = first == last ? "media sequence \(first)" : "media sequence \(first) to \(last)"
        return "\(playlist.segments.count) (\(sequence))"
    }

    private var segmentLength: String? {
        let durations = playlist.segments.lazy.map(\.duration)
        guard let shortest = durations.min(), let longest = durations.max() else { return nil }
        return shortest == longest ? "\(shortest) s" : "\(shortest) to \(longest) s"
    }

    private var wallClock: String? {
        guard playlist.segments.contains(where: { $0.programDateTime != nil }) else { return nil }
        var first: DateTime?
        var last: ResolvedSegment?
        for resolved in playlist.resolvedSegments where resolved.programDateTime != nil {
            first = first ?? resolved.programDateTime
            last = resolved
        }
        guard let first, let last, let begin = last.programDateTime?.nanosecondsSinceEpoch else { return first?.text }
        let end = DateTime(nanosecondsSinceEpoch: begin &+ last.segment.duration.nanoseconds)
        return "\(first) to \(end)"
    }

    private var initialization: String? {
        let maps = Set(playlist.maps.map { "\($0.uri) \($0.byteRange?.description ?? "")" })
        guard maps.count < 2, let map = playlist.maps.first else {
            return PlaylistReport.count(maps.count, "section", "sections")
        }
        return map.uri.unlessEmpty
    }

    private var byteRanges: String? {
        let ranged = playlist.segments.filter { $0.byteRange != nil }
        guard let count = PlaylistReport.count(ranged.count, "segment", "segments") else { return nil }
        let resources = Set(ranged.map(\.uri)).count
        return "\(count) in \(resources == 1 ? "one resource" : "\(resources) resources")"
    }

    private var discontinuities: String? {
        let count = playlist.segments.count(where: \.isDiscontinuous)
        guard count > 0 || playlist.discontinuitySequence != 0 else { return nil }
        return playlist.discontinuitySequence == 0
            ? "\(count)" : "\(count), and \(playlist.discontinuitySequence) before the first segment"
    }

    private var server: String? {
        guard let control = playlist.serverControl else { return nil }
        let abilities = [
            control.canBlockReload ? "blocking reload" : nil,
            control.canSkipUntil.map { "delta updates beyond \($0) s" },
            control.canSkipDateRanges ? "of date ranges too" : nil,
            control.holdBack.map { "hold back \($0) s" },
            control.partHoldBack.map { "with parts \($0) s" },
        ]
        return PlaylistReport.list(abilities.compactMap(\.self))
    }

    private func hint(_ hint: PreloadHint) -> String {
        "\(hint.type) \(hint.uri.unlessEmpty ?? "without a URI")"
    }

    private var dateRanges: String? {
        let ranges = playlist.dateRanges
        guard !ranges.isEmpty else { return nil }
        let notes = [
            PlaylistReport.count(ranges.count { $0.interstitial != nil }, "interstitial", "interstitials"),
            PlaylistReport.count(
                ranges.count { $0.scte35Command != nil || $0.scte35Out != nil || $0.scte35In != nil },
                "with SCTE-35", "with SCTE-35"),
        ]
        .compactMap(\.self)
        return notes.isEmpty ? "\(ranges.count)" : "\(ranges.count) (\(notes.joined(separator: ", ")))"
    }
}
