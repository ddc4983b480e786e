internal import MediaCache
internal import MediaContainers

extension ContainerInspection {
    /// A human-readable summary of the container: facts, tracks, boxes and diagnostics.
    public var report: InspectionReport {
        InspectionReport(sections: [facts, tracksSection, boxesSection, diagnosticsSection].compactMap(\.self))
    }

    private static var shownBoxes: Int { 200 }
    private static var shownDiagnostics: Int { 20 }

    private var facts: InspectionReport.Section {
        InspectionReport.Section(facts: [
            "Container": name,
            "Kind": kind,
            "Size": "\(ByteCount(size)) (\(size) bytes)",
            "Duration": duration.map(SecondsText.describe),
            "Bit rate": ContainerRecord.bitRate(size, duration).map(Self.rate),
            "Timestamp": startTimestamp.map { "\(SecondsText.describe($0)) on the stream's clock" },
            "Index": index,
            "Artwork": artwork,
            "Protection": ReportText.list(movie?.protectionSystems ?? []),
        ])
    }

    private var kind: String {
        switch format {
        case .mp4:
            guard let movie else { return "MP4" }
            if movie.hasIndexFirst == nil {
                return "a segment of fragmented MP4"
                    + (tracks.isEmpty ? "; specify its media initialization section, which describes its tracks" : "")
            }
            return movie.isFragmented ? "fragmented MP4" : "MP4"
        case .transportStream:
            let stride = packetStride ?? 188
            return stride == 188 ? "MPEG transport stream" : "MPEG transport stream with packets of \(stride) bytes"
        case .packedAudio:
            switch packedFormat {
            case .adts: return "packed audio: AAC in ADTS"
            case .ac3: return "packed audio: AC-3"
            case .eac3: return "packed audio: Enhanced AC-3"
            case .mpegAudio: return "packed audio: MPEG audio"
            case nil: return "an ID3 tag without audio"
            }
        }
    }

    private var index: String? {
        guard let movie, let isFirst = movie.hasIndexFirst, !movie.isFragmented else { return nil }
        return isFirst
            ? "at the front, so playback starts quickly" : "at the end; `mediacache faststart` moves it to the front"
    }

    private var artwork: String? {
        var images = (movie?.artwork ?? []).map {
            "\($0.format.rawValue), \(ByteCount($0.range.upperBound - $0.range.lowerBound))"
        }
        if let picture { images.append("\(picture.mediaType), \(ByteCount(Int64(picture.size)))") }
        return ReportText.list(images)
    }

    private static func rate(_ bits: Int) -> String { "\(ByteCount(Int64(bits)))".replacing("B", with: "bit") + "/s" }

    private var tracksSection: InspectionReport.Section? {
        let columns: [ReportColumn<ContainerTrackRecord>] = [
            .number("TRACK") { "\($0.index)" },
            .number("ID") { "\($0.id)" },
            .text("KIND") { $0.kind },
            .text("CODEC") { track in
                let codecs = track.formats.compactMap { $0.codec ?? $0.sampleEntry }
                return ReportText.list(codecs.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } })
            },
            .text("FORMAT", Self.format),
            .text("LANGUAGE") { $0.language == "und" ? nil : $0.language },
            .number("START") { $0.start.map { SecondsText.describe($0) } },
            .number("DURATION") { $0.duration.map { SecondsText.describe($0) } },
            .number("SAMPLES") { "\($0.samples)" },
            .number("SYNC") { $0.kind == "video" ? "\($0.syncSamples)" : nil },
            .number("BIT RATE") { $0.bitRate.map(Self.rate) },
        ]
        return InspectionReport.Section(trackRecords, columns: columns)
    }

    private static func format(_ track: ContainerTrackRecord) -> String? {
        guard let format = track.formats.first else { return nil }
        var parts: [String] = []
        if let width = format.width, let height = format.height { parts.append("\(width) × \(height)") }
        if let rate = track.frameRate {
            let thousandths = (rate * 1000).rounded() / 1000
            let isWhole = thousandths == thousandths.rounded() && thousandths < 1e6
            parts.append("\(isWhole ? "\(Int(thousandths))" : "\(thousandths)") frames/s")
        }
        if let rate = format.sampleRate { parts.append("\(rate) Hz") }
        if let layout = format.channelLayout ?? format.channels.map({ "\($0) channels" }) { parts.append(layout) }
        if let scheme = format.encryption { parts.append("encrypted (\(scheme))") }
        if track.formats.count > 1 { parts.append("\(track.formats.count) formats") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private var boxesSection: InspectionReport.Section? {
        guard let movie else { return nil }
        var section = InspectionReport.Section(columns: [
            .init(title: "BOX", isNumeric: false), .init(title: "OFFSET", isNumeric: true),
            .init(title: "SIZE", isNumeric: true),
        ])
        var hidden = 0
        func add(_ node: BoxNode, depth: Int) {
            if section.rows.count < Self.shownBoxes {
                let name = node.header.userType.map { "uuid \($0)" } ?? "\(node.header.type)"
                let indent = String(repeating: "  ", count: depth)
                section.rows.append([indent + name, "\(node.header.offset)", "\(node.header.size)"])
            } else {
                hidden += 1
            }
            for child in node.children { add(child, depth: depth + 1) }
        }
        for node in movie.boxes { add(node, depth: 0) }
        if hidden > 0 { section.notes = ["and \(hidden) more, which the JSON record lists"] }
        return section
    }

    private var diagnosticsSection: InspectionReport.Section? {
        var lines: [String] = []
        if let failure { lines.append("Reading ended early: \(failure)") }
        for diagnostic in diagnostics.prefix(Self.shownDiagnostics) {
            let track = diagnostic.track.map { ", track \($0)" } ?? ""
            lines.append("byte \(diagnostic.offset)\(track): [\(diagnostic.code.rawValue)] \(diagnostic.summary)")
        }
        let hidden = diagnostics.count - Self.shownDiagnostics + droppedDiagnostics
        if hidden > 0 { lines.append("and \(hidden) more findings") }
        return lines.isEmpty ? nil : InspectionReport.Section(notes: lines)
    }
}
