import MediaCacheAPI
import MediaLibrary

/// What became of one URL that was to be kept.
struct GetOutcome: Sendable {
    /// The URL, without user information.
    var url: String
    /// Its download; nil where somebody cancelled it, and in a folder that can't be written.
    var record: DownloadRecord?
    /// What is kept of it, where it's a file.
    var resource: ResourceRecord?
    /// The file that was made.
    var output: String?
    /// How, where it's a file's bytes.
    var method: FileExport.Method?
    /// What was made of a stream.
    var remux: RemuxResult?
    /// Why it isn't all here, or wasn't copied out.
    var failure: CommandFailure?

    /// How many holes are named, one a line.
    private static let mostNamed = 20

    /// Whether it's all here.
    var isComplete: Bool { record.map { $0.state == .complete } ?? resource?.complete ?? false }

    /// In words; nil where it has failed.
    var text: String? {
        guard isComplete || record?.state == .completeWithHoles else { return nil }
        let bytes = record?.bytes ?? resource?.bytesCached ?? 0
        let parts =
            record.flatMap { $0.kind == .stream ? ", \($0.partsDone) of \($0.parts.counted("part"))" : nil } ?? ""
        var lines = ["Kept \(Table.printable(url)) (\(ByteCount(bytes))\(parts))."]
        if let output, let method {
            let how =
                switch method {
                case .clone: "sharing its blocks"
                case .hardLink: "a hard link"
                case .copy: "a copy"
                }
            lines.append("Put at \(Table.printable(output)) (\(how)).")
        }
        if let remux { lines.append(remux.text) }
        if output == nil, remux == nil, let record {
            lines.append("Without its origin: `mediacache serve` plays it at /library/\(record.id)/.")
        }
        return lines.joined(separator: "\n")
    }

    /// What couldn't be had, a line each.
    var holes: [String] {
        let holes = record?.holes ?? []
        let count = max(record?.holeCount ?? 0, holes.count)
        let named = holes.prefix(Self.mostNamed).map { hole in
            let end = hole.start + hole.duration
            let time =
                hole.duration > 0
                ? " (\(SecondsText.describe(hole.start)) to \(SecondsText.describe(end)))" : ""
            return "missing: \(Table.printable(hole.url))\(time): \(Table.printable(hole.reason))"
        }
        return named + (count > named.count ? ["and \(count - named.count) more"] : [])
    }
}

extension GetOutcome {
    /// What somebody may want to know of what came, a line each.
    var notes: [String] {
        let notes = record?.notes ?? []
        let named = notes.prefix(Self.mostNamed).map {
            "note: \(Table.printable($0.url)): \(Table.printable($0.text))"
        }
        return named + (notes.count > named.count ? ["and \((notes.count - named.count).counted("note")) more"] : [])
    }

    /// What the end of a download means for who asked for it; nil where it's complete.
    static func failure(of record: DownloadRecord?, _ url: String) -> CommandFailure? {
        guard let record else { return CommandFailure(.failed, "the download of \(url) was cancelled") }
        let reason = record.reason?.message ?? "its owner gives no reason"
        let isPart = record.bytes > 0 && record.bytes != record.length
        let goesOn = isPart ? "; \(record.amount) are kept; the same command goes on from there" : ""
        switch record.state {
        case .complete: return nil
        case .completeWithHoles:
            let parts = record.holeCount.counted("part")
            return CommandFailure(.partial, "\(parts) of \(url) couldn't be had; what could is kept")
        case .waiting where record.reason?.code == "space":
            return CommandFailure(.failed, "\(url) waits for space: \(reason)\(goesOn)")
        case .failed, .waiting, .queued, .running, .paused: return CommandFailure(.failed, reason + goesOn)
        }
    }

    /// Tells what became of all, on standard output, and why it isn't more, on standard error.
    ///
    /// - Throws: ``CommandFailure`` where it isn't all complete.
    static func report(_ outcomes: [GetOutcome], asJSON: Bool) throws {
        for outcome in outcomes {
            if asJSON {
                try StandardStreams.print(try JSONOutput.line(GetEvent(outcome)))
            } else if let text = outcome.text {
                try StandardStreams.print(text)
            }
            for line in outcome.holes + outcome.notes { StandardStreams.printError(line) }
        }
        let failures = outcomes.compactMap(\.failure)
        guard let first = failures.first else { return }
        guard outcomes.count > 1 else { throw first }
        for failure in failures {
            if let line = failure.line { StandardStreams.printError(line) }
        }
        let isPartial = failures.allSatisfy { $0.exitCode == CommandFailure.Code.partial.rawValue }
        throw CommandFailure(
            isPartial ? .partial : .failed,
            "\(failures.count) of \(outcomes.count) aren't complete")
    }
}
