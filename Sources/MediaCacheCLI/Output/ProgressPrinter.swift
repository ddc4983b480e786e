import Synchronization

/// Shows progress on standard error: a bar that draws over itself on a terminal, a plain line now and then elsewhere.
final class ProgressPrinter: Sendable {
    private struct State {
        var meter = RateMeter()
        var lastPlain: Duration?
        var lastDrawn: Duration?
        var hasBar = false
    }

    /// A log isn't read as it's written; this often is enough.
    private static let plainInterval = Duration.seconds(5)
    /// Nobody sees more pictures of a bar than this.
    private static let drawInterval = Duration.milliseconds(100)

    private let name: String
    private let isQuiet: Bool
    private let isTerminal: Bool
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    /// A printer of the progress of `name`.
    init(name: String, isQuiet: Bool) {
        self.name = name
        self.isQuiet = isQuiet
        isTerminal = StandardStreams.errorIsTerminal
    }

    /// Shows how many bytes are done, of how many if that is known.
    func show(bytes: Int64, of length: Int64?, isLast: Bool = false) {
        guard !isQuiet else { return }
        let now = ContinuousClock.now - start
        state.withLock { state in
            if let drawn = state.lastDrawn, !isLast, now - drawn < Self.drawInterval { return }
            state.lastDrawn = now
            state.meter.note(bytes: bytes, at: now)
            let line = ProgressLine(name: name, kept: bytes, length: length, rate: isLast ? nil : state.meter.rate)
            if isTerminal {
                // Carriage return, the line, erase what is left of the one before.
                StandardStreams.writeError("\r\(line.rendered(width: StandardStreams.errorWidth - 1))\u{1B}[K")
                state.hasBar = true
            } else if isLast || state.lastPlain.map({ now - $0 >= Self.plainInterval }) ?? true {
                StandardStreams.printError(line.plain)
                state.lastPlain = now
            }
        }
    }

    /// Leaves the bar's line, so that what follows stands below it.
    func finish() {
        state.withLock { state in
            if state.hasBar { StandardStreams.writeError("\n") }
            state.hasBar = false
        }
    }
}
