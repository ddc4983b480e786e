import MediaContainers

/// A container as text for people: what it is, its tracks, its boxes, what is wrong with it.
struct ContainerReport {
    /// Of deeper trees only so many boxes are shown; `--json` has all.
    private static let mostBoxes = 200
    private static let mostDiagnostics = 20

    /// The container.
    var inspection: ContainerInspection

    /// Bits per second; nil where the time isn't known.
    static func bitRate(_ bytes: Int64, _ seconds: Double?) -> Int? {
        guard let seconds, seconds > 0, bytes > 0 else { return nil }
        let rate = Double(bytes) * 8 / seconds
        return rate < 1e15 ? Int(rate.rounded()) : nil
    }

    /// The whole page.
    var text: String {
        [facts, tracks, boxes, diagnostics].compactMap(\.self).joined(separator: "\n\n")
    }

    private var facts: String {
        PlaylistReport.facts([
            "Container": inspection.name,
            "Kind": kind,
            "Size": "\(ByteCount(inspection.size)) (\(inspection.size) bytes)",
            "Duration": inspection.duration.map(SecondsText.describe),
            "Bit rate": Self.bitRate(inspection.size, inspection.duration).map(Self.rate),
            "Time stamp": inspection.startTimestamp.map { "\(SecondsText.describe($0)) on the stream's clock" },
            "Index": index,
            "Artwork": artwork,
            "Protection": PlaylistReport.list(inspection.movie?.protectionSystems ?? []),
        ])
    }

    private var kind: String {
        switch inspection.format {
        case .mp4:
            guard let movie = inspection.movie else { return "MP4" }
            if movie.hasIndexFirst == nil {
                let isAlone = inspection.tracks.isEmpty
                return "a segment of fragmented MP4"
                    + (isAlone ? "; --initialization gives it the section that tells its tracks" : "")
            }
            return movie.isFragmented ? "fragmented MP4" : "MP4"
        case .transportStream:
            let stride = inspection.packetStride ?? 188
            return stride == 188 ? "MPEG transport stream" : "MPEG transport stream, packets of \(stride) bytes"
        case .packedAudio:
            switch inspection.packedFormat {
            case .adts: return "packed audio: AAC in ADTS"
            case .ac3: return "packed audio: AC-3"
            case .eac3: return "packed audio: Enhanced AC-3"
            case .mpegAudio: return "packed audio: MPEG audio"
            case nil: return "an ID3 tag alone"
            }
        }
    }

    private var index: String? {
        guard let movie = inspection.movie, let isFirst = movie.hasIndexFirst, !movie.isFragmented else { return nil }
        return isFirst
            ? "at the front: playing starts fast" : "at the end: `mediacache faststart` moves it to the front"
    }

    private var artwork: String? {
        var pictures = (inspection.movie?.artwork ?? []).map {
            "\($0.format.rawValue), \(ByteCount($0.range.upperBound - $0.range.lowerBound))"
        }
        if let picture = inspection.picture {
            pictures.append("\(picture.mediaType), \(ByteCount(Int64(picture.size)))")
        }
        return PlaylistReport.list(pictures)
    }

    private static func rate(_ bits: Int) -> String {
        "\(ByteCount(Int64(bits)))".replacing("B", with: "bit") + "/s"
    }

    private var tracks: String? {
        let records = zip(inspection.tracks, inspection.tallies).enumerated().map {
            ContainerTrackRecord(index: $0.offset, $0.element.0, $0.element.1)
        }
        var table = ItemTable(records)
        table.column("TRACK", .right) { "\($0.index)" }
        table.column("ID", .right) { "\($0.id)" }
        table.column("KIND") { $0.kind }
        table.column("CODEC") { track in
            PlaylistReport.list(track.formats.compactMap { $0.codec ?? $0.sampleEntry }.uniqued)
        }
        table.column("FORMAT", .left, Self.format)
        table.column("LANGUAGE") { $0.language == "und" ? nil : $0.language }
        table.column("START", .right) { $0.start.map { SecondsText.describe($0) } }
        table.column("DURATION", .right) { $0.duration.map { SecondsText.describe($0) } }
        table.column("SAMPLES", .right) { "\($0.samples)" }
        table.column("SYNC", .right) { $0.kind == "video" ? "\($0.syncSamples)" : nil }
        table.column("BIT RATE", .right) { $0.bitRate.map(Self.rate) }
        return table.rendered()
    }

    private static func format(_ track: ContainerTrackRecord) -> String? {
        guard let format = track.formats.first else { return nil }
        var parts: [String] = []
        if let width = format.width, let height = format.height { parts.append("\(width) × \(height)") }
        if let rate = track.frameRate {
            let thousandths = (rate * 1000).rounded() / 1000
            let isWhole = thousandths == thousandths.rounded() && thousandths < 1e6
            parts.append("\(isWhole ? "\(Int(thousandths))" : "\(thousandths)") pictures/s")
        }
        if let rate = format.sampleRate { parts.append("\(rate) Hz") }
        if let layout = format.channelLayout ?? format.channels.map({ "\($0) channels" }) { parts.append(layout) }
        if let scheme = format.encryption { parts.append("encrypted (\(scheme))") }
        if track.formats.count > 1 { parts.append("\(track.formats.count) formats") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private var boxes: String? {
        guard let movie = inspection.movie else { return nil }
        var table = Table([.init("BOX"), .init("OFFSET", .right), .init("SIZE", .right)])
        var shown = 0
        var left = 0
        func add(_ node: BoxNode, depth: Int) {
            if shown < Self.mostBoxes {
                shown += 1
                let record = node.header.userType.map { "uuid \($0)" } ?? "\(node.header.type)"
                let indent = String(repeating: "  ", count: depth)
                table.add([indent + record, "\(node.header.offset)", "\(node.header.size)"])
            } else {
                left += 1
            }
            for child in node.children { add(child, depth: depth + 1) }
        }
        for node in movie.boxes { add(node, depth: 0) }
        guard left > 0 else { return table.rendered() }
        return table.rendered() + "\nand \(left) more; --json has all"
    }

    private var diagnostics: String? {
        var lines: [String] = []
        if let failure = inspection.failure { lines.append("Reading ended early: \(failure)") }
        for diagnostic in inspection.diagnostics.prefix(Self.mostDiagnostics) {
            let track = diagnostic.track.map { ", track \($0)" } ?? ""
            lines.append("byte \(diagnostic.offset)\(track): [\(diagnostic.code.rawValue)] \(diagnostic.what)")
        }
        let left = inspection.diagnostics.count - Self.mostDiagnostics + inspection.droppedDiagnostics
        if left > 0 { lines.append("and \(left) more findings") }
        return lines.isEmpty ? nil : lines.map(Table.printable).joined(separator: "\n")
    }
}

extension [String] {
    /// Each once, in order.
    fileprivate var uniqued: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
