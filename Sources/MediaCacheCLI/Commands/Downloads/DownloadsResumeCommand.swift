import ArgumentParser
import MediaCacheAPI

/// `mediacache downloads resume`.
struct DownloadsResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resumes downloads that are paused, interrupted, failed or incomplete.",
        discussion: """
            EXAMPLES:
              mediacache downloads resume 'A film'
              mediacache downloads resume --all

            If a process owns the cache folder, it resumes the downloads, and the command returns at once. Otherwise \
            the command runs the downloads itself until all have ended. Exit codes: 1 if one failed or waits for \
            space, 2 if parts are missing, 130 after Ctrl-C; then run the same command to resume.
            """
    )

    @OptionGroup var references: DownloadReferences

    @Flag(name: .shortAndLong, help: "Don't show progress.")
    var quiet = false

    @OptionGroup var downloads: DownloadOptions
    @OptionGroup(title: "Origin options") var origin: OriginOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let (references, display) = (references, DownloadDisplay(isQuiet: quiet))
        let interruption = Interruption()
        let settings = try HostSettings(cache: cache, origin: origin, downloads: downloads)
        let outcomes = try await Connection.use(settings, waits: false) { connection -> [GetOutcome] in
            let client = connection.client
            let records = try await references.find(through: client).filter { $0.state != .complete }
            for record in records { try await client.updateDownload(record.id, DownloadUpdate(state: .running)) }
            guard connection.owner == nil else { return [] }
            defer { display.finish() }
            let done = try await interruption.cancelling {
                let done = try await DownloadJob.watch(records.map(\.id), client) { display.show($0) }
                await connection.waitForOtherDownloads()
                return done
            }
            guard let done else {
                throw CommandFailure(.interrupted, "interrupted; run the same command to resume")
            }
            return zip(records, done).map { requested, record in
                var outcome = GetOutcome(url: requested.url, record: record)
                outcome.failure = GetOutcome.failure(of: record, requested.url)
                return outcome
            }
        }
        try GetOutcome.report(outcomes, asJSON: false)
    }
}
