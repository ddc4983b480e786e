import MediaCacheAPI
import Synchronization

/// Tells how a recording goes: a line that draws over itself on a terminal, plain ones now and then elsewhere, or lines
/// of JSON on standard output.
final class RecordDisplay: Sendable {
    /// What is told.
    enum Form: Sendable {
        /// Nothing.
        case quiet
        /// For people, on standard error.
        case text
        /// For programs.
        case json
    }

    private struct State {
        var lost = LostSegments()
        var last: ChannelRecord?
        var lastTold: Duration?
        var hasLine = false
        var hasAddress = false
    }

    /// A log isn't read as it's written, and a recording may go on for days.
    private static let plainInterval = Duration.seconds(60)

    private let form: Form
    private let isTerminal: Bool
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    /// A display.
    init(_ form: Form) {
        self.form = form
        isTerminal = StandardStreams.errorIsTerminal
    }

    /// What was lost since the command began.
    var lost: LostSegments { state.withLock { $0.lost } }

    /// Takes down what was lost before the command began.
    func begin(with gaps: [TimelineRecord.Segment]) { state.withLock { $0.lost.begin(with: gaps) } }

    /// Takes down why something was lost.
    func note(reason: String, track: String, start: Int64) {
        state.withLock { $0.lost.note(reason: reason, track: track, start: start) }
    }

    /// Tells where it plays, once.
    func note(address: String) {
        state.withLock { state in
            guard !state.hasAddress, form == .text else { return }
            state.hasAddress = true
            StandardStreams.printError("Plays at \(address)")
        }
    }

    /// Tells of gaps, those that are new.
    ///
    /// - Throws: ``CommandFailure`` where standard output can't be written.
    func show(gaps: [TimelineRecord.Segment], of record: ChannelRecord) throws {
        try state.withLock { state in
            for gap in state.lost.add(gaps) {
                switch form {
                case .quiet: continue
                case .text:
                    if state.hasLine { StandardStreams.writeError("\r\u{1B}[K") }
                    StandardStreams.printError(gap.text)
                case .json:
                    try StandardStreams.print(
                        JSONOutput.line(RecordEvent(kind: .gap, record: record, lost: state.lost, gap: gap)))
                }
            }
        }
    }

    /// Tells how far it is.
    ///
    /// - Throws: ``CommandFailure`` where standard output can't be written.
    func show(_ record: ChannelRecord) throws {
        let now = ContinuousClock.now - start
        try state.withLock { state in
            let isNews = state.last?.state != record.state || state.last?.reason != record.reason
            let hasMore = state.last?.segments != record.segments || state.last?.bytes != record.bytes
            defer { state.last = record }
            switch form {
            case .quiet: return
            case .json:
                guard isNews || hasMore else { return }
                try StandardStreams.print(
                    JSONOutput.line(RecordEvent(kind: isNews ? .state : .progress, record: record, lost: state.lost)))
            case .text:
                let line = ChannelLine(record: record, lost: state.lost, now: MomentArgument.now / 1_000_000)
                if isTerminal {
                    StandardStreams.writeError("\r\(line.rendered(width: StandardStreams.errorWidth - 1))\u{1B}[K")
                    state.hasLine = true
                } else if isNews || state.lastTold.map({ now - $0 >= Self.plainInterval }) ?? true {
                    StandardStreams.printError(line.plain)
                    state.lastTold = now
                }
            }
        }
    }

    /// Leaves the line, so that what follows stands below it.
    func finish() {
        state.withLock { state in
            if state.hasLine { StandardStreams.writeError("\n") }
            state.hasLine = false
        }
    }
}
