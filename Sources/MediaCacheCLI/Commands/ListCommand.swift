import ArgumentParser
import MediaCacheAPI

/// `mediacache list`.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists cached resources, most recently used first.",
        discussion: """
              mediacache list                  all resources
              mediacache list --complete       resources whose bytes are all cached
              mediacache list --json | jq -r '.[] | select(.format == "mp4") | .url'

            --json prints an array of objects: id, url, key, type, format, length, spans (start, end), fills (ranges \
            being fetched), bytesCached, hits, created, lastUsed, complete, pinned, inUse, withCredentials. \
            Unknown values are omitted. withCredentials marks a resource that was fetched with a user's name and \
            password and belongs to that user.
            """,
        aliases: ["ls"]
    )

    @Flag(help: "List only complete resources.")
    var complete = false

    @Flag(help: "List only partial resources.")
    var partial = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var cache: CacheOptions

    func validate() throws {
        if complete && partial { throw ValidationError("--complete and --partial can't be combined.") }
    }

    func run() async throws {
        let resources = try await Connection.use(HostSettings(cache: cache)) { try await $0.client.resources() }
        let shown = resources.filter { complete ? $0.complete : partial ? !$0.complete : true }
        try StandardStreams.print(json ? JSONOutput.text(shown) : ResourceReport.table(shown))
    }
}
