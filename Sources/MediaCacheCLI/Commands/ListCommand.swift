import ArgumentParser
import MediaCacheAPI

/// `mediacache list`.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists films, songs, streams and channels, most recently used first.",
        usage: "mediacache list [<options>]",
        discussion: """
            EXAMPLES:
              mediacache list                  all items
              mediacache list --complete       items whose bytes are all cached
              mediacache list --json | jq -r '.[] | .title'
              mediacache list --resources      files, playlists, segments and keys

            An item is an asset of the library, a channel, or a file or stream that was played. Commands that accept a \
            URL also accept an item's ID or title, such as `play`, `url`, `info`, `cover`, `export`, `remove` and \
            `get`. If several items have the title, the error lists their IDs.

            OUTPUT:
            --json prints an array of objects: id, title, artist, album, kind (asset, channel, file, stream, or parts: \
            segments without their playlist), url, bytes, length, state (of the download or recording), complete, \
            lastUsed. Unknown values are omitted.
            --resources --json prints an array of objects: id, url, key, type, format, length, spans (start, end), fills (ranges \
            being fetched), bytesCached, hits, created, lastUsed, complete, pinned, inUse, withCredentials. \
            Unknown values are omitted. withCredentials marks a resource that was fetched with a user's name and \
            password and belongs to that user.
            """,
        aliases: ["ls"]
    )

    @Flag(help: "List only complete entries.")
    var complete = false

    @Flag(help: "List only incomplete entries.")
    var partial = false

    @Flag(help: "List the cached resources of all items.")
    var resources = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func validate() throws {
        if complete && partial { throw ValidationError("--complete and --partial can't be combined.") }
    }

    func run() async throws {
        let settings = try HostSettings(cache: cache)
        guard !resources else {
            let all = try await Connection.use(settings) { try await $0.client.resources() }
            let shown = all.filter { isShown($0.complete) }
            return try StandardStreams.print(json ? JSONOutput.text(shown) : ResourceReport.table(shown))
        }
        let all = try await Connection.use(settings) { try await $0.client.libraryItems() }
        let shown = all.filter { isShown($0.complete) }
        try StandardStreams.print(json ? JSONOutput.text(shown) : ItemReport.table(shown))
    }

    private func isShown(_ isComplete: Bool) -> Bool { complete ? isComplete : partial ? !isComplete : true }
}
