import ArgumentParser
import MediaCacheAPI

/// `mediacache downloads finish`.
struct DownloadsFinishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "finish",
        abstract: "Finishes downloads of live streams before the streams end.",
        usage: "mediacache downloads finish [<id> ...] [<options>]",
        discussion: """
            EXAMPLES:
              mediacache downloads finish 'A stream'

            The data received so far becomes the asset. Downloads that aren't live are left unchanged.
            """
    )

    @OptionGroup var references: DownloadReferences
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let references = references
        try await Connection.use(HostSettings(cache: cache)) { connection in
            for record in try await references.find(through: connection.client) {
                try await connection.client.updateDownload(record.id, DownloadUpdate(state: .finished))
            }
        }
    }
}
