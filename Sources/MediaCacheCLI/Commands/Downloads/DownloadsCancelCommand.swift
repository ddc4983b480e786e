import ArgumentParser
import MediaCacheAPI

/// `mediacache downloads cancel`.
struct DownloadsCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels downloads and removes their data.",
        usage: "mediacache downloads cancel [<id> ...] [<options>]",
        discussion: """
            EXAMPLES:
              mediacache downloads cancel 'A film'
              mediacache downloads cancel --keep --all

            Data that other downloads need isn't removed. With --keep, the data stays cached until it's evicted. \
            Complete downloads can be cancelled too.
            """
    )

    @OptionGroup var references: DownloadReferences

    @Flag(help: "Keep received data in the cache.")
    var keep = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let (references, keep) = (references, keep)
        try await Connection.use(HostSettings(cache: cache)) { connection in
            for record in try await references.find(through: connection.client) {
                try await connection.client.cancelDownload(record.id, keepingData: keep)
            }
        }
    }
}
