import ArgumentParser
import MediaCacheAPI

/// `mediacache downloads watch`.
struct DownloadsWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows the progress of downloads until Ctrl-C, or until the process that runs them exits.",
        usage: "mediacache downloads watch [<options>]",
        discussion: """
            EXAMPLES:
              mediacache downloads watch
              mediacache downloads watch --json

            OUTPUT:
            --json prints all events of /api/v1/events, one object per line, with the key event: download.added, \
            download.state (asset, state, reason), download.progress (asset, bytes, length, isLengthExact, partsDone, \
            parts, rate, secondsReady), download.removed, part.started, part.done, part.failed (asset, part, bytes, \
            message), resource.progress (resource, bytes, length, rate), dropped (count), and other events of assets, \
            resources, channels and the storage, which the API description explains (docs/openapi.yaml in the source \
            code).
            """
    )

    @Flag(help: "Print events as JSON, one per line.")
    var json = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        guard let connection = try await Connection.running(at: try cache.location) else {
            throw CommandFailure(
                .failed,
                "no server is running for this cache folder, so nothing is downloaded; start `mediacache serve`")
        }
        let (interruption, display, json) = (Interruption(), DownloadDisplay(isQuiet: false), json)
        let client = connection.client
        let ended: Void?
        do {
            ended = try await interruption.cancelling {
                guard !json else {
                    return try await client.events { try StandardStreams.printEvent(JSONOutput.line($0)) }
                }
                var wait = Duration.zero
                while true {
                    display.show(try await client.downloads(waiting: wait))
                    wait = .milliseconds(250)
                }
            }
        } catch APIClientError.unreachable {
            ended = ()
        }
        display.finish()
        if ended == nil { throw CommandFailure(.interrupted, "") }
    }
}
