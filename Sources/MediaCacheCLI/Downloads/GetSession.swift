import MediaCache
import MediaCacheAPI
import MediaLibrary

/// What `get` does over one connection: asks for all URLs, waits for them, copies them out.
struct GetSession: Sendable {
    /// What is to be kept.
    var urls: [ResourceURL]
    /// What of streams.
    var selection: StreamSelection
    /// How many seconds a stream that still grows is followed; nil follows it to its end.
    var seconds: Double?
    /// Header fields for origins.
    var header: [HeaderArgument]
    /// Where to copy it to.
    var export: GetExport?
    /// Whether events are printed.
    var printsJSON: Bool
    /// Whether no progress is shown.
    var isQuiet: Bool

    /// Does it.
    ///
    /// - Returns: what became of each URL, in their order.
    /// - Throws: ``CommandFailure`` after a signal, ``OwnerEnded``, and what the cache's owner answers.
    func run(through connection: Connection, until interruption: Interruption) async throws -> [GetOutcome] {
        var items: [DownloadJob.Item] = []
        for url in urls { items.append(DownloadJob.Item(url: url, addition: try await addition(url, connection))) }
        let job = DownloadJob(client: connection.client, isElsewhere: connection.owner != nil, items: items)
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
        } catch let problem as Problem where problem.code == CacheError.Code.storage.rawValue {
            return try await keptOutcomes(connection, but: problem, until: interruption)
        }
        display.finish()
        var outcomes: [GetOutcome] = []
        for (url, record) in zip(urls, records) {
            outcomes.append(try await finish(url, record, connection, until: interruption))
        }
        return outcomes
    }

    /// How a URL is asked for; header fields for other origins than its own are told to the owner.
    private func addition(_ url: ResourceURL, _ connection: Connection) async throws -> DownloadAddition {
        var byOrigin = HeaderArgument.byOrigin(header, for: url)
        let own = byOrigin.removeValue(forKey: url.origin)
        for (origin, headers) in byOrigin {
            try await connection.client.setHeaderProfile(HeaderProfileUpdate(origin: origin, headers: headers))
        }
        return DownloadAddition(
            url: "\(url)", variant: selection.variants.text, audio: selection.audio.text,
            subtitles: selection.subtitles.text, headers: own, seconds: seconds)
    }

    private func finish(
        _ url: ResourceURL, _ record: DownloadRecord?, _ connection: Connection, until interruption: Interruption
    ) async throws -> GetOutcome {
        var outcome = GetOutcome(url: "\(url)", record: record)
        outcome.failure = GetOutcome.failure(of: record, "\(url)")
        if record?.kind == .file {
            outcome.resource = try await connection.client.resource(for: url, withFile: export != nil)
        }
        guard outcome.isComplete || record?.state == .completeWithHoles else { return outcome }
        return try await exported(outcome, url, connection, until: interruption)
    }

    private func exported(
        _ outcome: GetOutcome, _ url: ResourceURL, _ connection: Connection, until interruption: Interruption
    ) async throws -> GetOutcome {
        guard let export else { return outcome }
        let exported = try await interruption.cancelling {
            var outcome = outcome
            do {
                try await export.run(&outcome, of: url, through: connection)
            } catch {
                // What became of the download is told in any case.
                guard !(error is CancellationError), !(error is OwnerEnded) else { throw error }
                outcome.failure = outcome.failure ?? CommandFailure(error) ?? CommandFailure(.failed, "\(error)")
            }
            return outcome
        }
        guard let exported else {
            throw CommandFailure(.interrupted, "interrupted; \(url) is kept, and nothing was put at “\(export.output)”")
        }
        return exported
    }

    /// In a folder that can't be written nothing can be downloaded; what is here can be copied out, though eviction isn't
    /// kept off.
    private func keptOutcomes(
        _ connection: Connection, but problem: Problem, until interruption: Interruption
    ) async throws -> [GetOutcome] {
        var outcomes: [GetOutcome] = []
        for url in urls {
            let resource = try await connection.client.resource(for: url, withFile: export != nil)
            guard let resource, resource.complete, resource.stream == nil else { throw problem }
            StandardStreams.printError("mediacache: note: not pinned: \(problem.detail)")
            let outcome = GetOutcome(url: "\(url)", resource: resource)
            outcomes.append(try await exported(outcome, url, connection, until: interruption))
        }
        return outcomes
    }
}
