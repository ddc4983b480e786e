import ArgumentParser
import MediaCacheAPI

/// `mediacache downloads resume`.
struct DownloadsResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Lets downloads go on: those that are paused, that failed, that have holes, that were interrupted.",
        discussion: """
              mediacache downloads resume 'A film'
              mediacache downloads resume --all

            Where a process owns the cache folder, it goes on with them, and the command returns. Else the command does \
            it, and returns when all are done: with 1 if something failed or waits for space, 2 if a part couldn't be \
            had, 130 after Ctrl-C, and then the same command goes on from there.
            """
    )

    @OptionGroup var references: DownloadReferences

    @Flag(name: .shortAndLong, help: "Show no progress.")
    var quiet = false

    @OptionGroup var downloads: DownloadOptions
    @OptionGroup var origin: OriginOptions
    @OptionGroup var cache: CacheOptions

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
                await connection.waitForOthers()
                return done
            }
            guard let done else {
                throw CommandFailure(.interrupted, "interrupted; the same command goes on from there")
            }
            return zip(records, done).map { asked, record in
                var outcome = GetOutcome(url: asked.url, record: record)
                outcome.failure = GetOutcome.failure(of: record, asked.url)
                return outcome
            }
        }
        try GetOutcome.report(outcomes, asJSON: false)
    }
}
