import MediaCacheAPI
import Synchronization

/// The progress of downloads on standard error: redrawn lines on a terminal, occasional plain lines elsewhere.
final class DownloadDisplay: Sendable {
    private struct State {
        var block = LineBlock()
        var lastDrawn: Duration?
        /// The downloads that had ended at the last call of ``DownloadDisplay/show(_:)``; nil before the first.
        var ended: Set<String>?
        /// The time and state of the last plain line of each download.
        var printed: [String: (at: Duration, state: DownloadRecord.State)] = [:]
    }

    /// The minimum interval between plain lines of a download in the same state.
    private static let plainInterval = Duration.seconds(5)
    /// The minimum interval between redraws.
    private static let drawInterval = Duration.milliseconds(100)

    private let isQuiet: Bool
    private let isTerminal: Bool
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
        isTerminal = StandardStreams.errorIsTerminal
    }

    func show(_ records: [DownloadRecord]) {
        guard !isQuiet else { return }
        let now = ContinuousClock.now - start
        state.withLock { state in
            guard isTerminal else { return printLines(records, now, &state) }
            let isLast = records.allSatisfy(\.state.isEnded)
            let finished = finishedLines(records, &state)
            if let last = state.lastDrawn, !isLast, finished.isEmpty, now - last < Self.drawInterval { return }
            state.lastDrawn = now
            let lines = DownloadLines.block(
                records, width: StandardStreams.errorWidth - 1, height: StandardStreams.errorHeight - 1)
            StandardStreams.writeError(state.block.drawSequence(lines, below: finished))
        }
    }

    /// Returns the lines of downloads that have just ended, if there are several downloads.
    private func finishedLines(_ records: [DownloadRecord], _ state: inout State) -> [String] {
        let ended = Set(records.filter(\.state.isEnded).map(\.id))
        defer { state.ended = ended }
        guard records.count > 1, let before = state.ended else { return [] }
        return records.filter { ended.contains($0.id) && !before.contains($0.id) }
            .map { String(DownloadLines.finished($0).prefix(columns: StandardStreams.errorWidth - 1)) }
    }

    /// Moves the cursor below the redrawn lines.
    func finish() {
        state.withLock { StandardStreams.writeError($0.block.leaveSequence()) }
    }

    private func printLines(_ records: [DownloadRecord], _ now: Duration, _ state: inout State) {
        for record in records where record.state != .queued {
            let last = state.printed[record.id]
            let hasStateChanged = last.map { $0.state != record.state } ?? true
            let isDue = record.state == .running && last.map { now - $0.at >= Self.plainInterval } ?? true
            guard hasStateChanged || isDue, let line = DownloadLines.line(record) else { continue }
            StandardStreams.printError(line.plain)
            state.printed[record.id] = (now, record.state)
        }
    }
}
