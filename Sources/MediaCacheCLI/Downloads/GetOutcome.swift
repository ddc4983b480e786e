import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The result of `get` for one URL.
struct GetOutcome: Sendable {
    /// The URL, without user information.
    var url: String
    /// The download; nil if it was refused or cancelled, or if the folder can't be written.
    var record: DownloadRecord?
    /// The cached resource of a file.
    var resource: ResourceRecord?
    var output: String?
    var method: FileCopy.Method?
    var remux: RemuxResult?
    /// The reason for a refused, cancelled or incomplete download, or the failure of its export.
    var failure: CommandFailure?

    /// The maximum number of listed holes, and of listed notes.
    private static let listLimit = 20

    var isComplete: Bool { record.map { $0.state == .complete } ?? resource?.complete ?? false }

    var text: String? {
        guard isComplete || record?.state == .completeWithHoles else { return nil }
        let bytes = record?.bytes ?? resource?.bytesCached ?? 0
        let parts =
            record.flatMap { $0.kind == .stream ? ", \($0.partsDone) of \($0.parts.counted("part"))" : nil } ?? ""
        var lines = ["Downloaded \(Table.printable(url)) (\(ByteCount(bytes))\(parts))."]
        if let output, let method {
            let text =
                switch method {
                case .clone: "sharing blocks with the cache"
                case .hardLink: "a hard link"
                case .copy: "a copy"
                }
            lines.append("Written to \(Table.printable(output)) (\(text)).")
        }
        if let remux { lines.append(remux.text) }
        if output == nil, remux == nil, let record {
            lines.append("`mediacache serve` provides it at /library/\(record.id)/, without its origin.")
        }
        return lines.joined(separator: "\n")
    }

    /// The missing parts, one per line.
    var holes: [String] {
        let holes = record?.holes ?? []
        let count = max(record?.holeCount ?? 0, holes.count)
        let named = holes.prefix(Self.listLimit).map { hole in
            let end = hole.start + hole.duration
            let time = hole.duration > 0 ? " (\(SecondsText.describe(hole.start)) to \(SecondsText.describe(end)))" : ""
            return "missing: \(Table.printable(hole.url))\(time): \(Table.printable(hole.reason))"
        }
        return named + (count > named.count ? ["and \(count - named.count) more"] : [])
    }
}

extension GetOutcome {
    var notes: [String] {
        let notes = record?.notes ?? []
        let named = notes.prefix(Self.listLimit).map {
            "note: \(Table.printable($0.url)): \(Table.printable($0.text))"
        }
        return named + (notes.count > named.count ? ["and \((notes.count - named.count).counted("note")) more"] : [])
    }

    /// Returns the failure of an incomplete or cancelled download; nil for a complete one.
    static func failure(of record: DownloadRecord?, _ url: String) -> CommandFailure? {
        guard let record else { return CommandFailure(.failed, "the download of \(url) was cancelled") }
        let reason = record.reason?.message ?? "the download of \(url) is incomplete (\(record.state.rawValue))"
        let isPart = record.bytes > 0 && record.bytes != record.length
        let next = isPart ? "; \(record.amount) cached; run the same command to resume" : ""
        switch record.state {
        case .complete: return nil
        case .completeWithHoles:
            let parts = record.holeCount.counted("part")
            return CommandFailure(
                .partial, "\(parts) of \(url) \(record.holeCount == 1 ? "is" : "are") missing; the others are cached")
        case .waiting where record.reason?.code == "space":
            return CommandFailure(.failed, "\(url) is waiting for space: \(reason)\(next)")
        case .failed, .waiting, .queued, .running, .paused: return CommandFailure(.failed, reason + next)
        }
    }

    /// Prints results on standard output and failures on standard error.
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
            isPartial ? .partial : .failed, "\(failures.count) of \(outcomes.count) downloads are incomplete")
    }
}
