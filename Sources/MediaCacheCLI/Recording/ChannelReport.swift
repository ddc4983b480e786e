import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The rendering of channels as text.
enum ChannelReport {
    static func table(_ records: [ChannelRecord], _ style: TextStyle = .plain) -> String {
        guard !records.isEmpty else { return "There are no channels; `record` creates one." }
        var table = Table([
            .init("NAME"), .init("STATE"), .init("EDGE"), .init("RECORDED", .right), .init("GAPS", .right),
            .init("RATE", .right), .init("SIZE", .right), .init("LIMITS"), .init("URL"), .init(""),
        ])
        for record in records {
            let cells = [
                record.name, record.state.rawValue, record.edge.map(MomentText.exact(wholeSeconds:)) ?? "",
                record.recordedRanges.isEmpty ? "" : DurationText.describe(.seconds(record.recordedSeconds)),
                gaps(record.gaps, record.gapSeconds), record.isRunning ? rate(record.rate) : "",
                "\(ByteCount(record.bytes))", limits(record.retention), record.url, record.reason ?? "",
            ]
            let colors = [1: TextStyle.Color(record.state), 4: record.gaps > 0 ? .yellow : nil]
            table.add(cells, colors: colors)
        }
        return table.rendered(style)
    }

    static func table(ofGaps gaps: [TimelineRecord.Segment], in name: ChannelName) -> String {
        guard !gaps.isEmpty else { return "The recording of \(name) has no gaps." }
        var table = Table([.init("FROM"), .init("DURATION", .right), .init("TRACK"), .init("NUMBER", .right)])
        for gap in gaps {
            table.add([
                MomentText.exact(gap.start), SecondsText.describe(gap.duration), gap.track, "\(gap.number)",
            ])
        }
        return table.rendered()
    }

    static func table(ofProgrammes programmes: [ProgrammeRecord], in name: ChannelName) -> String {
        guard !programmes.isEmpty else { return "\(name) has no programmes; --add creates one." }
        var table = Table([
            .init("ID"), .init("FROM"), .init("TO"), .init("DURATION", .right), .init("TITLE"), .init("EXPORTS"),
        ])
        for programme in programmes {
            table.add([
                programme.id, MomentText.exact(programme.from), MomentText.exact(programme.to),
                DurationText.describe(.milliseconds(programme.to - programme.from)), programme.name,
                exports(programme),
            ])
        }
        return table.rendered()
    }

    /// Returns the exports of a programme: `mp4 done (1.20 GB, 2 segments missing), 3gp running (40%)`.
    static func exports(_ programme: ProgrammeRecord) -> String {
        programme.exports.map { export in
            let missing = export.missing.counted("segment")
            let notes = [
                export.bytes.map { "\(ByteCount($0))" }, export.missing > 0 ? "\(missing) missing" : nil,
                export.state == .running ? "\(Int(export.progress * 100))%" : nil, export.reason,
            ].compactMap(\.self)
            return "\(export.format) \(export.state.rawValue)"
                + (notes.isEmpty ? "" : " (\(Table.printable(notes.joined(separator: ", "))))")
        }.joined(separator: ", ")
    }

    /// Returns the limits of a recording: `24h, 50.0 GB`.
    static func limits(_ retention: Retention) -> String {
        let limits = [
            retention.seconds.map { DurationText.describe(.seconds($0)) }, retention.bytes.map { "\(ByteCount($0))" },
            retention.segments.map { $0.counted("segment") },
            retention.freeBytes.flatMap { $0 > 0 ? "\(ByteCount($0)) free" : nil },
        ].compactMap(\.self)
        return limits.isEmpty ? "none" : limits.joined(separator: ", ")
    }

    /// Returns the number and duration of gaps: `2 (8s)`.
    static func gaps(_ count: Int, _ seconds: Double) -> String {
        count == 0 ? "0" : "\(count) (\(seconds < 1 ? "<1s" : DurationText.describe(.seconds(seconds))))"
    }

    static func rate(_ rate: Double) -> String { rate >= 1 ? "\(ByteCount(Int64(min(rate, 1e18))))/s" : "" }
}

extension ChannelRecord {
    var recordedSeconds: Double { recordedRanges.reduce(0) { $0 + Double($1.to - $1.from) } / 1000 }
}

extension MomentText {
    /// Returns a date and time without fractions of a second.
    static func exact(wholeSeconds milliseconds: Int64) -> String { exact(milliseconds / 1000 * 1000) }
}
