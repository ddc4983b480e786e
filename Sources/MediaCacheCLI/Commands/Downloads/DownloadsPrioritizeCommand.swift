import ArgumentParser
import MediaCacheAPI

/// `mediacache downloads prioritize`.
struct DownloadsPrioritizeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prioritize",
        abstract: "Says which downloads go first.",
        discussion: """
              mediacache downloads prioritize film 10
              mediacache downloads prioritize film -- -1

            The greater goes first; 0 unless set. Of those of one priority the first that was asked for does.
            """
    )

    @Argument(
        help: ArgumentHelp("The download: its ID, URL or title.", valueName: "id"),
        completion: ServerCompletion.downloads,
        transform: AssetArgument.init(parsing:))
    var download: AssetArgument

    @Argument(help: "Its priority.")
    var priority: Int

    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let (download, priority) = (download, priority)
        try await Connection.use(HostSettings(cache: cache)) { connection in
            let client = connection.client
            let record = try await download.find(in: try await client.downloads(), what: "download", asking: client)
            try await client.updateDownload(record.id, DownloadUpdate(priority: priority))
        }
    }
}
