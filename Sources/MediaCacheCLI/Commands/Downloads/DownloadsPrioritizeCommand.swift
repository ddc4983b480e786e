import ArgumentParser
import MediaCacheAPI

/// `mediacache downloads prioritize`.
struct DownloadsPrioritizeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prioritize",
        abstract: "Sets the priority of a download.",
        usage: "mediacache downloads prioritize <id> <priority> [<options>]",
        discussion: """
            EXAMPLES:
              mediacache downloads prioritize film 10
              mediacache downloads prioritize film -- -1

            The default is 0. Downloads with equal priority run in the order they were added.
            """
    )

    @Argument(
        help: ArgumentHelp("The download: its ID, URL or title.", valueName: "id"),
        completion: ServerCompletion.downloads,
        transform: AssetReference.init(parsing:))
    var download: AssetReference

    @Argument(help: "The priority, an integer. Downloads with higher values run first.")
    var priority: Int

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let (download, priority) = (download, priority)
        try await Connection.use(HostSettings(cache: cache)) { connection in
            let client = connection.client
            let record = try await download.find(in: try await client.downloads(), noun: "download", client: client)
            try await client.updateDownload(record.id, DownloadUpdate(priority: priority))
        }
    }
}
