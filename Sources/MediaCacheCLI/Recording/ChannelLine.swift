import MediaCacheAPI

/// How far a recording is, as one line. Rendering is a pure function of what is known and how wide the terminal is.
struct ChannelLine: Sendable {
    /// The channel.
    var record: ChannelRecord
    /// What was lost since the command began.
    var lost: LostSegments
    /// This moment, in milliseconds since 1970.
    var now: Int64

    /// For a log or a pipe.
    var plain: String { "\(record.name): \(figures)" }

    /// For a terminal of `width` columns.
    func rendered(width: Int) -> String { String(plain.prefix(columns: max(0, width))) }

    private var figures: String {
        var parts = [record.state.rawValue]
        if let reason = record.reason { parts[0] += " (\(Table.printable(reason)))" }
        if !record.kept.isEmpty { parts.append("\(DurationText.describe(.seconds(record.keptSeconds))) kept") }
        if let edge = record.edge, record.isRunning {
            parts.append("edge \(DurationText.describe(.milliseconds(max(0, now - edge)))) ago")
        }
        if record.bytes > 0 { parts.append("\(ByteCount(record.bytes))") }
        if record.isRunning, record.rate >= 1 { parts.append(ChannelReport.rate(record.rate)) }
        if lost.count > 0 { parts.append(lost.text) }
        return parts.joined(separator: "  ")
    }
}
