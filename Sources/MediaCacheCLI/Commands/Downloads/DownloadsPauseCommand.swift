import ArgumentParser
import MediaCacheAPI

/// `mediacache downloads pause`.
struct DownloadsPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pauses downloads until they are resumed. Received data stays cached.",
        usage: "mediacache downloads pause [<id> ...] [<options>]",
        discussion: """
            EXAMPLES:
              mediacache downloads pause 'A film'
              mediacache downloads pause --all

            No more data is received after the command returns. Ended downloads aren't changed.
            """
    )

    @OptionGroup var references: DownloadReferences
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let references = references
        try await Connection.use(HostSettings(cache: cache)) { connection in
            guard !references.all else {
                try await connection.client.pauseDownloads()
                return
            }
            for record in try await references.find(through: connection.client) {
                try await connection.client.updateDownload(record.id, DownloadUpdate(state: .paused))
            }
        }
    }
}
