import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The rendering of downloads as progress lines.
enum DownloadLines {
    /// Returns a line for each unfinished download that isn't queued, and one for the total, at most `height` lines. A
    /// single download has only its own line.
    static func block(_ records: [DownloadRecord], width: Int, height: Int) -> [String] {
        guard records.count > 1 else { return records.compactMap(line).map { $0.rendered(width: width) } }
        let open = records.filter { !$0.state.isEnded }
        let shown = open.filter { $0.state != .queued }.sorted { rank($0) < rank($1) }
        let lines = shown.compactMap(line).prefix(max(0, height - 1))
        return (lines + [total(records)]).map { $0.rendered(width: width) }
    }

    /// Returns the line of a download; nil if it has no bytes, no known length and no remark.
    static func line(_ record: DownloadRecord) -> ProgressLine? {
        let remark = remark(record)
        guard record.bytes > 0 || record.length != nil || remark != nil else { return nil }
        var line = ProgressLine(name: record.name, cached: record.bytes, length: record.length)
        line.isEstimated = !record.isLengthExact
        line.rate = record.state == .running ? record.rate : nil
        line.remark = remark
        return line
    }

    /// Returns the line of a download that has ended.
    static func finished(_ record: DownloadRecord) -> String {
        let name = Table.printable(record.name)
        return switch record.state {
        case .complete: "\(name): complete, \(ByteCount(record.bytes))"
        case .completeWithHoles: "\(name): \(record.holeCount.counted("part")) missing, \(ByteCount(record.bytes))"
        default: "\(name): \(record.state.rawValue)" + (record.reason.map { ": \(Table.printable($0.message))" } ?? "")
        }
    }

    static func total(_ records: [DownloadRecord]) -> ProgressLine {
        var line = ProgressLine(name: "Total", cached: sum(records.map(\.bytes)) ?? .max)
        line.length = sum(records.map(\.length))
        line.isEstimated = records.contains { !$0.isLengthExact }
        line.rate = records.reduce(0) { $0 + ($1.state == .running ? $1.rate : 0) }
        let done = records.count { $0.state == .complete || $0.state == .completeWithHoles }
        let failed = records.count { $0.state == .failed }
        line.remark = "\(done) of \(records.count) done" + (failed > 0 ? ", \(failed) failed" : "")
        return line
    }

    /// Returns the sum; nil if a number is unknown, or if the sum overflows.
    private static func sum(_ numbers: [Int64?]) -> Int64? {
        numbers.reduce(0) { sum, number in
            guard let sum, let number else { return nil }
            let (total, overflow) = sum.addingReportingOverflow(number)
            return overflow ? nil : total
        }
    }

    /// Returns the sort rank of a download's state: running downloads come first.
    private static func rank(_ record: DownloadRecord) -> Int {
        switch record.state {
        case .running: 0
        case .waiting: 1
        default: 2
        }
    }

    private static func remark(_ record: DownloadRecord) -> String? {
        switch record.state {
        case .waiting: "waiting" + (record.reason.map { ": \($0.message)" } ?? "")
        case .paused: "paused"
        case .completeWithHoles: "\(record.holeCount.counted("part")) missing"
        case .queued, .running, .failed, .complete: nil
        }
    }
}

extension DownloadRecord {
    /// The title, or the last component of the URL.
    var name: String { title ?? url.split(separator: "/").last.map(String.init) ?? url }
}
