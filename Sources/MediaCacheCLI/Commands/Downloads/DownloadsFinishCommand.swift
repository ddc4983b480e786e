import ArgumentParser
import MediaCacheAPI

/// `mediacache downloads finish`.
struct DownloadsFinishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "finish",
        abstract: "Takes live streams as they are now, instead of following them to their end.",
        discussion: """
              mediacache downloads finish 'A stream'

            What came of it is the whole asset then. Does nothing to a download that isn't following a stream.
            """
    )

    @OptionGroup var references: DownloadReferences
    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let references = references
        try await Connection.use(HostSettings(cache: cache)) { connection in
            for record in try await references.find(through: connection.client) {
                try await connection.client.updateDownload(record.id, DownloadUpdate(state: .finished))
            }
        }
    }
}
