internal import HLS

extension PlaylistInspection {
    /// A human-readable summary of the playlist, followed by its diagnostics.
    public var report: InspectionReport {
        let sections: [InspectionReport.Section] =
            switch parsed.playlist {
            case .media(let playlist): [MediaPlaylistReport(playlist: playlist, inspection: self).facts]
            case .multivariant(let playlist): MultivariantPlaylistReport(playlist: playlist, inspection: self).sections
            }
        return InspectionReport(sections: sections + [diagnosticsSection])
    }

    private static var shownDiagnostics: Int { 40 }

    private var diagnosticsSection: InspectionReport.Section {
        guard !diagnostics.isEmpty else { return .init(notes: ["No violations of RFC 8216bis found."]) }
        var section = InspectionReport.Section()
        func number(_ severity: Diagnostic.Severity) -> Int { diagnostics.count { $0.severity == severity } }
        let counts = [
            ReportText.count(number(.error), "error", "errors"),
            ReportText.count(number(.warning), "warning", "warnings"),
            ReportText.count(number(.note), "note", "notes"),
        ]
        section.heading = "Findings: " + counts.compactMap(\.self).joined(separator: ", ")
        section.columns = [
            .init(title: "LINE", isNumeric: true), .init(title: "SEVERITY", isNumeric: false),
            .init(title: "RULE", isNumeric: false), .init(title: "FINDING", isNumeric: false),
        ]
        section.rows = diagnostics.prefix(Self.shownDiagnostics).map { diagnostic in
            [
                diagnostic.line > 0 ? "\(diagnostic.line)" : "–", diagnostic.severity.rawValue,
                diagnostic.rule.description, diagnostic.message,
            ]
        }
        let rest = diagnostics.count - Self.shownDiagnostics + droppedDiagnostics
        if rest > 0 { section.notes = ["… and \(rest) more."] }
        return section
    }
}

/// Facts that apply to both kinds of playlists.
private enum PlaylistText {
    /// Returns the declared version, and the required version if it's higher.
    static func version(_ declared: Int?, required: Int) -> String {
        let text = declared.map { "\($0)" } ?? "not declared"
        return required > declared ?? 1 ? "\(text), but requires \(required)" : text
    }

    /// Returns the position at which playback starts; nil if it isn't specified.
    static func start(_ start: StartPoint?) -> String? {
        guard let start else { return nil }
        let offset = start.timeOffset
        let (seconds, end) =
            offset < .zero
            ? (DecimalValue(nanoseconds: 0 &- offset.nanoseconds), "before the end") : (offset, "from the beginning")
        let place = "\(seconds) s \(end)"
        return start.isPrecise ? "\(place), exactly" : place
    }

    static func variables(_ values: [String: String]) -> String? {
        ReportText.list(values.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" })
    }

    /// Returns the names of tags with their counts and first lines: `EXT-X-FOO × 3 (from line 5)`.
    static func unknownTags(_ tags: [UnknownTag]) -> String? {
        var order: [String] = []
        var counts: [String: (count: Int, line: Int)] = [:]
        for tag in tags {
            if counts[tag.name] == nil { order.append(tag.name) }
            counts[tag.name, default: (0, tag.line)].count += 1
        }
        return ReportText.list(
            order.map { name in
                let (count, line) = counts[name] ?? (0, 0)
                return count == 1 ? "\(name) (line \(line))" : "\(name) × \(count) (from line \(line))"
            })
    }

    static func independentSegments(_ isDeclared: Bool) -> String? {
        isDeclared ? "every segment starts with an independent frame" : nil
    }
}

private struct MediaPlaylistReport {
    var playlist: MediaPlaylist
    var inspection: PlaylistInspection

    var facts: InspectionReport.Section {
        InspectionReport.Section(facts: [
            "Playlist": inspection.name,
            "Kind": kind,
            "Version": PlaylistText.version(playlist.version, required: playlist.requiredVersion),
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
            "Gaps": ReportText.count(
                playlist.segments.count(where: \.isGap), "segment is unavailable", "segments are unavailable"),
            "Parts": parts,
            "Skipped": playlist.skip.map { "\($0.count.counted("segment")) before the first (a delta update)" },
            "Start": PlaylistText.start(playlist.start),
            "Server": server,
            "Hints": ReportText.list(playlist.preloadHints.map(hint)),
            "Other renditions": ReportText.count(playlist.renditionReports.count, "report", "reports"),
            "Date ranges": dateRanges,
            "Independent": PlaylistText.independentSegments(playlist.hasIndependentSegments),
            "Variables": PlaylistText.variables(inspection.variables),
            "Other tags": PlaylistText.unknownTags(inspection.unknownTags),
        ])
    }

    private var kind: String {
        let name = playlist.hasIFramesOnly ? "I-frame media playlist" : "media playlist"
        switch (playlist.hasEndList, playlist.type) {
        case (true, _): return "\(name), on demand"
        case (false, .onDemand): return "\(name), on demand (but without EXT-X-ENDLIST)"
        case (false, .event): return "\(name), live: an event, whose segments are never removed"
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
            return ReportText.count(maps.count, "section", "sections")
        }
        return map.uri.unlessEmpty
    }

    private var byteRanges: String? {
        let ranged = playlist.segments.filter { $0.byteRange != nil }
        guard let count = ReportText.count(ranged.count, "segment", "segments") else { return nil }
        let resources = Set(ranged.map(\.uri)).count
        return "\(count) in \(resources == 1 ? "one resource" : "\(resources) resources")"
    }

    private var discontinuities: String? {
        let count = playlist.segments.count(where: \.isDiscontinuous)
        guard count > 0 || playlist.discontinuitySequence != 0 else { return nil }
        return playlist.discontinuitySequence == 0
            ? "\(count)" : "\(count), and \(playlist.discontinuitySequence) before the first segment"
    }

    private var parts: String? {
        let inSegments = playlist.segments.reduce(0) { $0 + ($1.tags.isEmpty ? 0 : $1.parts.count) }
        let upcoming = playlist.upcoming?.parts.count ?? 0
        let target = playlist.partInformation.map { "at most \($0.partTarget) s each" }
        guard inSegments + upcoming > 0 || target != nil else { return nil }
        let next = upcoming > 0 ? "\(upcoming) of the upcoming segment" : nil
        return ["\(inSegments + upcoming)", next, target].compactMap(\.self).joined(separator: ", ")
    }

    private var server: String? {
        guard let control = playlist.serverControl else { return nil }
        let abilities = [
            control.canBlockReload ? "blocking reload" : nil,
            control.canSkipUntil.map { "delta updates beyond \($0) s" },
            control.canSkipDateRanges ? "delta updates of date ranges" : nil,
            control.holdBack.map { "hold back \($0) s" },
            control.partHoldBack.map { "part hold back \($0) s" },
        ]
        return ReportText.list(abilities.compactMap(\.self))
    }

    private func hint(_ hint: PreloadHint) -> String { "\(hint.type) \(hint.uri.unlessEmpty ?? "without a URI")" }

    private var dateRanges: String? {
        let ranges = playlist.dateRanges
        guard !ranges.isEmpty else { return nil }
        let notes = [
            ReportText.count(ranges.count { $0.interstitial != nil }, "interstitial", "interstitials"),
            ReportText.count(
                ranges.count { $0.scte35Command != nil || $0.scte35Out != nil || $0.scte35In != nil },
                "with SCTE-35", "with SCTE-35"),
        ]
        .compactMap(\.self)
        return notes.isEmpty ? "\(ranges.count)" : "\(ranges.count) (\(notes.joined(separator: ", ")))"
    }
}

/// The encryption of a media playlist's segments.
struct EncryptionSummary {
    /// The methods and the numbers of keys and segments; `none` if no segment is encrypted.
    let text: String

    init(_ playlist: MediaPlaylist) {
        var encrypted = 0
        var keys: Set<EncryptionKey> = []
        var last: [EncryptionKey] = []
        for segment in playlist.segments {
            let own = segment.keys.filter { $0.method != .none }
            if own.isEmpty { continue }
            encrypted += 1
            // Most segments have the same keys as the previous one. Comparing keys is cheaper than hashing them.
            if own != last {
                keys.formUnion(own)
                last = own
            }
        }
        guard encrypted > 0 else {
            text = "none"
            return
        }
        let methods = Set(keys.map { "\($0.method) (\($0.keyFormat))" }).sorted().joined(separator: ", ")
        let number = Set(keys.map(\.uri)).count.counted("key")
        let share = encrypted == playlist.segments.count ? "all segments" : encrypted.counted("segment")
        text = "\(methods), \(number), \(share)"
    }
}

private struct MultivariantPlaylistReport {
    var playlist: MultivariantPlaylist
    var inspection: PlaylistInspection

    var sections: [InspectionReport.Section] { [facts, variants, renditions, iFrameStreams].compactMap(\.self) }

    private var facts: InspectionReport.Section {
        InspectionReport.Section(facts: [
            "Playlist": inspection.name,
            "Kind": "multivariant playlist",
            "Version": PlaylistText.version(playlist.version, required: playlist.requiredVersion),
            "Variant streams": "\(playlist.variants.count)",
            "Renditions": renditionCounts,
            "Start": PlaylistText.start(playlist.start),
            "Independent": PlaylistText.independentSegments(playlist.hasIndependentSegments),
            "Session keys": ReportText.list(playlist.sessionKeys.map { "\($0.method) (\($0.keyFormat))" }),
            "Session data": ReportText.list(playlist.sessionData.map(\.dataID)),
            "Steering": playlist.contentSteering.map { $0.serverURI.unlessEmpty ?? "without a URI" },
            "Variables": PlaylistText.variables(inspection.variables),
            "Other tags": PlaylistText.unknownTags(inspection.unknownTags),
        ])
    }

    private var renditionCounts: String? {
        let counts = RenditionType.allCases.compactMap { type in
            let count = playlist.renditions.count { $0.type == type }
            return count == 0 ? nil : "\(count) \(type.rawValue.lowercased())"
        }
        return playlist.renditions.isEmpty ? nil : counts.joined(separator: ", ")
    }

    private var variants: InspectionReport.Section? {
        let columns: [ReportColumn<VariantStream>] = [
            .number("BANDWIDTH") { Self.bitRate($0.bandwidth) },
            .number("AVERAGE") { $0.averageBandwidth.flatMap(Self.bitRate) },
            .text("RESOLUTION") { $0.resolution?.description },
            .number("FPS") { $0.frameRate?.description },
            .text("RANGE") { $0.videoRange },
            .text("CODECS") { $0.codecs.joined(separator: " ") },
            .text("AUDIO") { $0.audioGroup },
            .text("VIDEO") { $0.videoGroup },
            .text("SUBTITLES") { $0.subtitlesGroup },
            .text("CAPTIONS") { $0.closedCaptionsGroup },
            .text("PATHWAY") { $0.pathwayID },
            .text("VARIANT STREAM") { $0.uri.unlessEmpty ?? "(no URI)" },
        ]
        return InspectionReport.Section(playlist.variants, columns: columns)
    }

    private var renditions: InspectionReport.Section? {
        let columns: [ReportColumn<Rendition>] = [
            .text("TYPE") { $0.type?.rawValue.lowercased() ?? $0.attributes.text("TYPE") },
            .text("GROUP") { $0.groupID },
            .text("NAME") { $0.name },
            .text("LANGUAGE") { $0.language },
            .text("CHANNELS") { $0.channels },
            .text("CHOICE") { Self.choice($0) },
            .text("RENDITION") { Self.place($0) },
        ]
        return InspectionReport.Section(playlist.renditions, columns: columns)
    }

    private var iFrameStreams: InspectionReport.Section? {
        let columns: [ReportColumn<IFrameStream>] = [
            .number("BANDWIDTH") { Self.bitRate($0.bandwidth) },
            .text("RESOLUTION") { $0.resolution?.description },
            .text("CODECS") { $0.codecs.joined(separator: " ") },
            .text("I-FRAME PLAYLIST") { $0.uri.unlessEmpty ?? "(no URI)" },
        ]
        return InspectionReport.Section(playlist.iFrameStreams, columns: columns)
    }

    private static func place(_ rendition: Rendition) -> String {
        if let uri = rendition.uri?.unlessEmpty { return uri }
        return rendition.instreamID.map { "\($0) in the video" } ?? "in the variant stream"
    }

    private static func choice(_ rendition: Rendition) -> String? {
        let words = [
            rendition.isDefault ? "default" : nil, rendition.isAutoselect && !rendition.isDefault ? "automatic" : nil,
            rendition.isForced ? "forced" : nil,
        ]
        return words.compactMap(\.self).joined(separator: ", ")
    }

    private static func bitRate(_ rate: Int) -> String? {
        rate > 0 ? "\(rate / 1000 + (rate % 1000 >= 500 ? 1 : 0)) kb/s" : nil
    }
}
