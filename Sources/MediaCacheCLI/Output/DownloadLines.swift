import MediaCacheAPI

/// Downloads as lines of progress. Rendering is a pure function of what is known and how large the terminal is.
enum DownloadLines {
    /// A line for each download that is under way, and one for all of them; of a single one, its line alone.
    ///
    /// - Parameters:
    ///   - width: the columns of the terminal.
    ///   - height: the most lines.
    static func block(_ records: [DownloadRecord], width: Int, height: Int) -> [String] {
        guard records.count > 1 else { return records.compactMap(line).map { $0.rendered(width: width) } }
        let open = records.filter { !$0.state.isEnded }
        let shown = open.filter { $0.state != .queued }.sorted { rank($0) < rank($1) }
        let lines = shown.compactMap(line).prefix(max(0, height - 1))
        return (lines + [total(records)]).map { $0.rendered(width: width) }
    }

    /// A download's line; nil before there is anything to say.
    static func line(_ record: DownloadRecord) -> ProgressLine? {
        let remark = remark(record)
        guard record.bytes > 0 || record.length != nil || remark != nil else { return nil }
        var line = ProgressLine(name: record.name, kept: record.bytes, length: record.length)
        line.isEstimated = !record.lengthKnown
        line.rate = record.state == .running ? record.rate : nil
        line.remark = remark
        return line
    }

    /// All of them as one.
    static func total(_ records: [DownloadRecord]) -> ProgressLine {
        var line = ProgressLine(name: "Total", kept: sum(records.map(\.bytes)) ?? .max)
        line.length = sum(records.map(\.length))
        line.isEstimated = records.contains { !$0.lengthKnown }
        line.rate = records.reduce(0) { $0 + ($1.state == .running ? $1.rate : 0) }
        let done = records.count { $0.state == .complete || $0.state == .completeWithHoles }
        let failed = records.count { $0.state == .failed }
        line.remark = "\(done) of \(records.count) done" + (failed > 0 ? ", \(failed) failed" : "")
        return line
    }

    /// Nil where one isn't known, or they are more than can be counted: some of them an origin said.
    private static func sum(_ numbers: [Int64?]) -> Int64? {
        numbers.reduce(0) { sum, number in
            guard let sum, let number else { return nil }
            let (total, isOver) = sum.addingReportingOverflow(number)
            return isOver ? nil : total
        }
    }

    /// Those that run first, in the order in which they were asked for.
    private static func rank(_ record: DownloadRecord) -> Int {
        switch record.state {
        case .running: 0
        case .waiting: 1
        default: 2
        }
    }

    private static func remark(_ record: DownloadRecord) -> String? {
        switch record.state {
        case .waiting: "waiting: \(record.reason?.message ?? "it says not for what")"
        case .paused: "paused"
        case .completeWithHoles: "\(record.holeCount.counted("part")) missing"
        case .queued, .running, .failed, .complete: nil
        }
    }
}

extension DownloadRecord {
    /// What it's called: its title, else what its URL ends in.
    var name: String { title ?? url.split(separator: "/").last.map(String.init) ?? url }
}
