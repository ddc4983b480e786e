import ArgumentParser
import MediaCacheAPI

/// `mediacache list`.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists what is kept, most recently used first.",
        discussion: """
              mediacache list                  everything
              mediacache list --complete       what can be played without its origin
              mediacache list --json | jq -r '.[] | select(.format == "mp4") | .url'

            --json prints an array of objects with the keys id, url, key, type, format, length, spans (start, end), \
            fills (what is being fetched), bytesCached, hits, created, lastUsed, complete, pinned, inUse, withCredentials, localFile; what isn't known \
            is left out. withCredentials says that it came by a user's name and password, and is that user's.
            """,
        aliases: ["ls"]
    )

    @Flag(help: "Only what is here in full.")
    var complete = false

    @Flag(help: "Only what is here in part.")
    var partial = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var cache: CacheOptions

    func validate() throws {
        if complete && partial { throw ValidationError("--complete and --partial exclude each other.") }
    }

    func run() async throws {
        let resources = try await Connection.use(HostSettings(cache: cache)) { try await $0.client.resources() }
        let shown = resources.filter { complete ? $0.complete : partial ? !$0.complete : true }
        try StandardStreams.print(json ? JSONOutput.text(shown) : ResourceReport.table(shown))
    }
}
