import ArgumentParser
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `mediacache prune`.
struct PruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Applies the limits now by removing the least recently used data.",
        usage: "mediacache prune [<options>]",
        discussion: """
            EXAMPLES:
              mediacache prune --max-size 5GB
              mediacache prune --max-age 12h --min-free 20GB

            A limit without an option is that of `serve`: the one of the environment or the configuration file, then \
            that of `settings`, otherwise 10GB, 30d and 1GB free. Pinned and in-use data isn't removed. If another \
            process owns the folder, its limits apply, and the options are rejected.

            OUTPUT:
            --json prints an object: bytesFreed.
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var limits: LimitOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let given = limits.given
        let settings = try HostSettings(try cache.settings(limits.values, usesDefaults: true))
        let report = try await Connection.use(settings) { connection in
            if !given.isEmpty, let owner = connection.owner {
                throw CommandFailure(
                    .failed,
                    "process \(owner.processID) owns the cache folder and applies its own limits; "
                        + "omit \(given.joined(separator: ", ")), or change its limits with `mediacache settings`")
            }
            return try await connection.client.prune()
        }
        try StandardStreams.print(json ? JSONOutput.text(report) : "Freed \(ByteCount(report.bytesFreed)).")
    }
}
