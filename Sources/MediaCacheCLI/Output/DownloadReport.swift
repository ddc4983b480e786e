import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The rendering of downloads as a table.
enum DownloadReport {
    static func table(_ records: [DownloadRecord], _ style: TextStyle = .plain) -> String {
        guard !records.isEmpty else { return "There are no downloads; `get` adds one." }
        var table = Table([
            .init("ID"), .init("STATE"), .init("CACHED", .right), .init("OF", .right), .init("SHARE", .right),
            .init("RATE", .right), .init("PRIORITY", .right), .init("TITLE"), .init(""),
        ])
        for record in records {
            let cells = [
                record.id,
                record.state == .completeWithHoles ? "holes" : record.state.rawValue,
                "\(ByteCount(record.bytes))",
                record.length.map { "\(record.isLengthExact ? "" : "~")\(ByteCount($0))" } ?? "?",
                share(record),
                record.state == .running && record.rate >= 1 ? "\(ByteCount(Int64(min(record.rate, 1e18))))/s" : "",
                record.priority == 0 ? "" : "\(record.priority)",
                record.name,
                remark(record),
            ]
            table.add(cells, colors: [1: TextStyle.Color(record.state)])
        }
        return table.rendered(style)
    }

    private static func share(_ record: DownloadRecord) -> String {
        guard record.state != .complete else { return "100%" }
        guard let length = record.length, length > 0 else { return "" }
        return "\(min(99, Int(Double(record.bytes) / Double(length) * 100)))%"
    }

    private static func remark(_ record: DownloadRecord) -> String {
        if let reason = record.reason { return reason.message }
        return record.holeCount == 0 ? "" : "\(record.holeCount.counted("part")) missing"
    }
}
