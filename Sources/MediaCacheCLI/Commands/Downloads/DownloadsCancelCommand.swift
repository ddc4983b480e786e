import ArgumentParser
import MediaCacheAPI

/// `mediacache downloads cancel`.
struct DownloadsCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Ends downloads, and removes what came of them.",
        discussion: """
              mediacache downloads cancel 'A film'
              mediacache downloads cancel --keep --all

            What another download has too stays. With --keep all that came stays, as what was played does: until room is \
            needed. One that is complete is removed as well.
            """
    )

    @OptionGroup var references: DownloadReferences

    @Flag(help: "Keep what came.")
    var keep = false

    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let (references, keep) = (references, keep)
        try await Connection.use(HostSettings(cache: cache)) { connection in
            for record in try await references.find(through: connection.client) {
                try await connection.client.cancelDownload(record.id, keepingData: keep)
            }
        }
    }
}
