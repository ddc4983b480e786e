import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The progress of a recording as a line.
struct ChannelLine: Sendable {
    var record: ChannelRecord
    var lost: LostSegments
    /// The current time of this machine's clock, in milliseconds since 1970. It's used if the record lacks the time of
    /// the stream's clock, by which the edge is measured.
    var now: Int64

    var plain: String { "\(record.name): \(figures)" }

    func rendered(width: Int) -> String { String(plain.prefix(columns: max(0, width))) }

    private var figures: String {
        var parts = [record.state.rawValue]
        if let reason = record.reason { parts[0] += " (\(Table.printable(reason)))" }
        if !record.recordedRanges.isEmpty {
            parts.append("\(DurationText.describe(.seconds(record.recordedSeconds))) recorded")
        }
        if let edge = record.edge, record.isRunning {
            parts.append("edge \(DurationText.describe(.milliseconds(max(0, (record.now ?? now) - edge)))) ago")
        }
        if record.bytes > 0 { parts.append("\(ByteCount(record.bytes))") }
        if record.isRunning, record.rate >= 1 { parts.append(ChannelReport.rate(record.rate)) }
        if lost.count > 0 { parts.append(lost.text) }
        return parts.joined(separator: "  ")
    }
}
