import MediaCacheAPI
import Synchronization

/// Shows downloads on standard error: lines that draw over themselves on a terminal, plain ones now and then elsewhere.
final class DownloadDisplay: Sendable {
    private struct State {
        var block = LineBlock()
        var lastDrawn: Duration?
        /// Of each download, when it was last told of, and in which state it was.
        var told: [String: (at: Duration, state: DownloadRecord.State)] = [:]
    }

    /// A log isn't read as it's written; this often is enough.
    private static let plainInterval = Duration.seconds(5)
    /// Nobody sees more pictures than this.
    private static let drawInterval = Duration.milliseconds(100)

    private let isQuiet: Bool
    private let isTerminal: Bool
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    /// A display; a quiet one shows nothing.
    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
        isTerminal = StandardStreams.errorIsTerminal
    }

    /// Shows how far downloads are.
    func show(_ records: [DownloadRecord]) {
        guard !isQuiet else { return }
        let now = ContinuousClock.now - start
        state.withLock { state in
            guard isTerminal else { return tell(records, now, &state) }
            let isLast = records.allSatisfy(\.state.isEnded)
            if let last = state.lastDrawn, !isLast, now - last < Self.drawInterval { return }
            state.lastDrawn = now
            draw(records, &state)
        }
    }

    /// Leaves the lines, so that what follows stands below them.
    func finish() {
        state.withLock { state in
            StandardStreams.writeError(state.block.leaving())
        }
    }

    private func draw(_ records: [DownloadRecord], _ state: inout State) {
        let lines = DownloadLines.block(
            records, width: StandardStreams.errorWidth - 1, height: StandardStreams.errorHeight - 1)
        StandardStreams.writeError(state.block.drawing(lines))
    }

    private func tell(_ records: [DownloadRecord], _ now: Duration, _ state: inout State) {
        for record in records where record.state != .queued {
            let last = state.told[record.id]
            let isNews = last.map { $0.state != record.state } ?? true
            let isDue = record.state == .running && last.map { now - $0.at >= Self.plainInterval } ?? true
            guard isNews || isDue, let line = DownloadLines.line(record) else { continue }
            StandardStreams.printError(line.plain)
            state.told[record.id] = (now, record.state)
        }
    }
}
