import ArgumentParser

/// `mediacache downloads`.
struct DownloadsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "downloads",
        abstract: "Lists, pauses, resumes and cancels downloads.",
        discussion: """
            EXAMPLES:
              mediacache downloads                            list all downloads
              mediacache downloads pause --all
              mediacache downloads resume film
              mediacache downloads prioritize zmfxk4c6pq2a 10
              mediacache downloads cancel --keep https://example.org/film.mp4
              mediacache downloads watch --json | jq 'select(.event == "download.state")'

            A download is identified by its ID, its URL, or a unique title. The commands are sent to the process that \
            owns the cache folder (`serve` or `get`), if there is one; otherwise `resume` runs the downloads itself \
            until they have ended. Interrupted downloads are resumed by `serve`, the same `get`, or `resume`.
            """,
        subcommands: [
            DownloadsListCommand.self, DownloadsPauseCommand.self, DownloadsResumeCommand.self,
            DownloadsCancelCommand.self, DownloadsFinishCommand.self, DownloadsPrioritizeCommand.self,
            DownloadsWatchCommand.self,
        ],
        defaultSubcommand: DownloadsListCommand.self
    )
}
