import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The result of `record`.
struct RecordOutcome: Sendable {
    var record: ChannelRecord
    /// The gaps since the start of the command.
    var lost: LostSegments
    /// Whether a signal ended the command.
    var isInterrupted = false
    /// Whether the recording continues without the command.
    var continues = false

    /// The result as text; nil if nothing was recorded.
    var text: String? {
        guard let first = record.recordedRanges.first, let last = record.recordedRanges.last else { return nil }
        let amount = "\(DurationText.describe(.seconds(record.recordedSeconds))) (\(ByteCount(record.bytes)))"
        var lines = [
            "Recorded \(amount) of \(record.name), from \(MomentText.exact(first.from)) to \(MomentText.exact(last.to))."
        ]
        if !isInterrupted, !continues {
            lines.append(
                "`mediacache serve` provides it at /live/\(record.name)/index.m3u8; `export` exports it as a file.")
        }
        return lines.joined(separator: "\n")
    }

    var failure: CommandFailure? {
        guard !isInterrupted else {
            let recorded = record.recordedRanges.isEmpty ? "nothing was recorded" : "the recorded part is stored"
            let next =
                continues
                ? "the recording continues; stop it with `mediacache channels stop \(record.name)`"
                : "run the same command to continue"
            return CommandFailure(.interrupted, "interrupted; \(recorded); \(next)")
        }
        guard !record.recordedRanges.isEmpty else {
            if record.state == .stopped, let reason = record.reason { return CommandFailure(.failed, reason) }
            let reason = record.reason.map { ": \($0)" } ?? ""
            return CommandFailure(.failed, "no data was received from \(record.url)\(reason)")
        }
        guard lost.count > 0 else {
            guard record.state == .stopped else { return nil }
            return CommandFailure(
                .partial, "\(record.name) was stopped before its end; run the same command to continue")
        }
        return CommandFailure(
            .partial, "\(record.name) has \(lost.text); `mediacache channels gaps \(record.name)` lists them")
    }

    func report(asJSON: Bool) throws {
        let failure = failure
        if asJSON {
            try StandardStreams.print(
                JSONOutput.line(RecordEvent(kind: .result, record: record, lost: lost, error: failure?.message)))
        } else if let text {
            try StandardStreams.print(text)
        }
        if let failure { throw failure }
    }
}
