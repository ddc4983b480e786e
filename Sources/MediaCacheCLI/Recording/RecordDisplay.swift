import MediaCacheAPI
import Synchronization

/// The progress of a recording: a redrawn line on a terminal, occasional plain lines elsewhere, or lines of JSON on
/// standard output.
final class RecordDisplay: Sendable {
    enum Form: Sendable {
        case quiet
        case text
        case json
    }

    private struct State {
        var lost = LostSegments()
        var last: ChannelRecord?
        var lastPrinted: Duration?
        var hasLine = false
        var hasAddress = false
    }

    /// The minimum interval between plain lines in the same state. It's long, since a recording can run for days.
    private static let plainInterval = Duration.seconds(60)

    private let form: Form
    private let isTerminal: Bool
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    init(_ form: Form) {
        self.form = form
        isTerminal = StandardStreams.errorIsTerminal
    }

    var lost: LostSegments { state.withLock { $0.lost } }

    func begin(with gaps: [TimelineRecord.Segment]) { state.withLock { $0.lost.begin(with: gaps) } }

    func note(reason: String, track: String, start: Int64) {
        state.withLock { $0.lost.note(reason: reason, track: track, start: start) }
    }

    /// Prints the URL of the channel. Only the first call has an effect.
    func note(address: String) {
        state.withLock { state in
            guard !state.hasAddress, form == .text else { return }
            state.hasAddress = true
            StandardStreams.printError("Plays at \(address)")
        }
    }

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

    func show(_ record: ChannelRecord) throws {
        let now = ContinuousClock.now - start
        try state.withLock { state in
            let isChanged = state.last?.state != record.state || state.last?.reason != record.reason
            let hasMore = state.last?.segments != record.segments || state.last?.bytes != record.bytes
            defer { state.last = record }
            switch form {
            case .quiet: return
            case .json:
                guard isChanged || hasMore else { return }
                try StandardStreams.print(
                    JSONOutput.line(RecordEvent(kind: isChanged ? .state : .progress, record: record, lost: state.lost))
                )
            case .text:
                let line = ChannelLine(record: record, lost: state.lost, now: MomentArgument.now / 1_000_000)
                if isTerminal {
                    StandardStreams.writeError("\r\(line.rendered(width: StandardStreams.errorWidth - 1))\u{1B}[K")
                    state.hasLine = true
                } else if isChanged || state.lastPrinted.map({ now - $0 >= Self.plainInterval }) ?? true {
                    StandardStreams.printError(line.plain)
                    state.lastPrinted = now
                }
            }
        }
    }

    /// Moves the cursor below the redrawn line.
    func finish() {
        state.withLock { state in
            if state.hasLine { StandardStreams.writeError("\n") }
            state.hasLine = false
        }
    }
}
