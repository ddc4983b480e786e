import ArgumentParser

/// `mediacache downloads`.
struct DownloadsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "downloads",
        abstract: "Lists, pauses, resumes and cancels what `get` keeps.",
        discussion: """
              mediacache downloads                            what is under way, waits, or is done
              mediacache downloads pause --all
              mediacache downloads resume film
              mediacache downloads prioritize zmfxk4c6pq2a 10
              mediacache downloads cancel --keep https://example.org/film.mp4
              mediacache downloads watch --json | jq -c 'select(.event == "download.state")'

            A download is named by its ID, its URL, or a title that no other has. Where a process owns the cache folder \
            (`serve`, or a `get` that runs), it's told; else the command does it itself, and `resume` downloads until \
            all is done. What a `get` left, interrupted, goes on with the next `serve`, with the same `get`, and with \
            `resume`.
            """,
        subcommands: [
            DownloadsListCommand.self, DownloadsPauseCommand.self, DownloadsResumeCommand.self,
            DownloadsCancelCommand.self, DownloadsFinishCommand.self, DownloadsPrioritizeCommand.self,
            DownloadsWatchCommand.self,
        ],
        defaultSubcommand: DownloadsListCommand.self
    )
}
