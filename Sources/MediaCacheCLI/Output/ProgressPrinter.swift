import Synchronization

/// Progress on standard error: a redrawn bar on a terminal, occasional plain lines elsewhere.
final class ProgressPrinter: Sendable {
    private struct State {
        var meter = RateMeter()
        var lastPlain: Duration?
        var lastDrawn: Duration?
        var hasBar = false
    }

    /// The minimum interval between plain lines.
    private static let plainInterval = Duration.seconds(5)
    /// The minimum interval between redraws.
    private static let drawInterval = Duration.milliseconds(100)

    private let name: String
    private let isQuiet: Bool
    private let isTerminal: Bool
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    init(name: String, isQuiet: Bool) {
        self.name = name
        self.isQuiet = isQuiet
        isTerminal = StandardStreams.errorIsTerminal
    }

    func show(bytes: Int64, of length: Int64?, isLast: Bool = false) {
        guard !isQuiet else { return }
        let now = ContinuousClock.now - start
        state.withLock { state in
            if let drawn = state.lastDrawn, !isLast, now - drawn < Self.drawInterval { return }
            state.lastDrawn = now
            state.meter.note(bytes: bytes, at: now)
            let line = ProgressLine(name: name, cached: bytes, length: length, rate: isLast ? nil : state.meter.rate)
            if isTerminal {
                // Overwrite the line and erase the rest of the previous one.
                StandardStreams.writeError("\r\(line.rendered(width: StandardStreams.errorWidth - 1))\u{1B}[K")
                state.hasBar = true
            } else if isLast || state.lastPlain.map({ now - $0 >= Self.plainInterval }) ?? true {
                StandardStreams.printError(line.plain)
                state.lastPlain = now
            }
        }
    }

    /// Moves the cursor below the bar.
    func finish() {
        state.withLock { state in
            if state.hasBar { StandardStreams.writeError("\n") }
            state.hasBar = false
        }
    }
}
