import MediaCache
import MediaCacheAPI
import MediaLibrary

/// A run of `get` over one connection. It adds all downloads, waits for them, and exports them.
struct GetSession: Sendable {
    var urls: [ResourceURL]
    var selection: SelectionOptions
    /// The duration in seconds for which a live stream is followed; nil to follow it to its end.
    var seconds: Double?
    var header: [HeaderArgument]
    var export: GetExport?
    var printsJSON: Bool
    var isQuiet: Bool

    /// Downloads and exports all URLs, and returns the results in the order of the URLs.
    func run(through connection: Connection, until interruption: Interruption) async throws -> [GetOutcome] {
        var all: [DownloadJob.Item] = []
        for url in urls { all.append(DownloadJob.Item(url: url, addition: try await addition(url, connection))) }
        guard let refusals = try await prepare(all, connection, until: interruption) else {
            throw CommandFailure(.interrupted, "interrupted; nothing was downloaded")
        }
        let items = all.indices.filter { refusals[$0] == nil }.map { all[$0] }
        let job = DownloadJob(client: connection.client, isRemote: connection.owner != nil, items: items)
        let display = DownloadDisplay(isQuiet: isQuiet || printsJSON)
        let events = printsJSON ? GetEventPrinter() : nil
        defer { display.finish() }
        let records: [DownloadRecord?]
        do {
            records = try await job.run(
                showing: { records in
                    display.show(records)
                    try events?.show(records)
                }, until: interruption)
        } catch let problem as Problem
            where [CacheError.Code.storage.rawValue, Problem.downloadsDisabledCode].contains(problem.code)
        {
            return try await cachedOutcomes(connection, but: problem, until: interruption)
        }
        display.finish()
        var outcomes: [GetOutcome] = []
        var ended = records[...]
        for index in urls.indices {
            if let refusal = refusals[index] {
                outcomes.append(GetOutcome(url: "\(urls[index])", failure: refusal))
            } else {
                outcomes.append(
                    try await finish(index, ended.popFirst() ?? nil, connection, until: interruption))
            }
        }
        return outcomes
    }

    /// Checks the URLs, and prints the selected variants and languages.
    ///
    /// - Returns: The reasons not to begin downloads, by index; nil after a signal.
    private func prepare(
        _ items: [DownloadJob.Item], _ connection: Connection, until interruption: Interruption
    ) async throws -> [Int: CommandFailure]? {
        try await interruption.cancelling {
            var refusals: [Int: CommandFailure] = [:]
            for (index, item) in items.enumerated() {
                let preparation = GetPreparation(
                    url: item.url, selection: selection.selection, requiredAudio: selection.audio.required,
                    requiredSubtitles: selection.subs.required, exports: export != nil)
                let result = try await preparation.run(connection.client, headers: item.addition.headers)
                refusals[index] = result.failure
                if let line = result.line, !isQuiet, !printsJSON { StandardStreams.printError(line) }
            }
            return refusals
        }
    }

    /// Returns the request for a URL, and sets the header profiles of other origins.
    private func addition(_ url: ResourceURL, _ connection: Connection) async throws -> DownloadAddition {
        var byOrigin = HeaderArgument.byOrigin(header, for: url)
        let own = byOrigin.removeValue(forKey: url.origin)
        for (origin, headers) in byOrigin {
            try await connection.client.setHeaderProfile(HeaderProfileUpdate(origin: origin, headers: headers))
        }
        return DownloadAddition(
            url: "\(url)", variant: selection.variant.text, audio: selection.audio.languages.text,
            subtitles: selection.subs.languages.text, headers: own, seconds: seconds)
    }

    private func finish(
        _ index: Int, _ record: DownloadRecord?, _ connection: Connection, until interruption: Interruption
    ) async throws -> GetOutcome {
        let url = urls[index]
        var outcome = GetOutcome(url: "\(url)", record: record)
        outcome.failure = GetOutcome.failure(of: record, "\(url)")
        if record?.kind == .file {
            outcome.resource = try await connection.client.resource(for: url, withFile: export != nil)
        }
        guard outcome.isComplete || record?.state == .completeWithHoles else { return outcome }
        return try await exported(outcome, index, connection, until: interruption)
    }

    private func exported(
        _ outcome: GetOutcome, _ index: Int, _ connection: Connection, until interruption: Interruption
    ) async throws -> GetOutcome {
        guard let export else { return outcome }
        let url = urls[index]
        let exported = try await interruption.cancelling {
            var outcome = outcome
            do {
                try await export.run(&outcome, of: url, index, through: connection)
            } catch {
                // The result of the download is reported even if the export fails.
                guard !(error is CancellationError), !(error is OwnerEnded) else { throw error }
                let failure = CommandFailure(error) ?? CommandFailure(.failed, "\(error)")
                outcome.failure = outcome.failure?.adding(failure) ?? failure
            }
            return outcome
        }
        guard let exported else {
            throw CommandFailure(
                .interrupted, "interrupted; \(url) was downloaded, but nothing was written to “\(export.output)”")
        }
        return exported
    }

    /// Exports resources that are already complete if the folder can't be written. They aren't pinned.
    private func cachedOutcomes(
        _ connection: Connection, but problem: Problem, until interruption: Interruption
    ) async throws -> [GetOutcome] {
        var outcomes: [GetOutcome] = []
        for (index, url) in urls.enumerated() {
            let resource = try await connection.client.resource(for: url, withFile: export != nil)
            guard let resource, resource.complete, resource.stream == nil else { throw problem }
            StandardStreams.printError("mediacache: note: not pinned: \(problem.detail)")
            let outcome = GetOutcome(url: "\(url)", resource: resource)
            outcomes.append(try await exported(outcome, index, connection, until: interruption))
        }
        return outcomes
    }
}
