import MediaCacheAPI

/// What became of a recording that a command followed.
struct RecordOutcome: Sendable {
    /// The channel at its end.
    var record: ChannelRecord
    /// What was lost meanwhile.
    var lost: LostSegments
    /// Whether a signal ended the command.
    var isInterrupted = false
    /// Whether it goes on without the command.
    var goesOn = false

    /// In words; nil where nothing was recorded.
    var text: String? {
        guard let first = record.kept.first, let last = record.kept.last else { return nil }
        let kept = "\(DurationText.describe(.seconds(record.keptSeconds))) (\(ByteCount(record.bytes)))"
        var lines = [
            "Kept \(kept) of \(record.name), from \(MomentText.exact(first.from)) to \(MomentText.exact(last.to))."
        ]
        if !isInterrupted, !goesOn {
            lines.append("`mediacache serve` plays it at /live/\(record.name)/index.m3u8; `export` makes a file of it.")
        }
        return lines.joined(separator: "\n")
    }

    /// Why it isn't all that it should be; nil where it is.
    var failure: CommandFailure? {
        guard !isInterrupted else {
            let kept = record.kept.isEmpty ? "nothing had come yet" : "what came is kept"
            let rest =
                goesOn
                ? "it goes on without this command; `mediacache channels stop \(record.name)` stops it"
                : "the same command goes on with it"
            return CommandFailure(.interrupted, "interrupted; \(kept), and \(rest)")
        }
        guard !record.kept.isEmpty else {
            let reason = record.reason.map { ": \($0)" } ?? ""
            return CommandFailure(.failed, "nothing came of \(record.url)\(reason)")
        }
        guard lost.count > 0 else {
            guard record.state == .stopped else { return nil }
            return CommandFailure(
                .partial, "\(record.name) was stopped before its end; the same command goes on with it")
        }
        return CommandFailure(
            .partial, "\(record.name) has \(lost.text); `mediacache channels gaps \(record.name)` lists them")
    }

    /// Tells it.
    ///
    /// - Throws: ``CommandFailure`` where it isn't all that it should be.
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
