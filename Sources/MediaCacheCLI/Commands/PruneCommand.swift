import ArgumentParser
import MediaCache
import MediaCacheAPI

/// `mediacache prune`.
struct PruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Applies the limits now: gives up what was used least recently.",
        discussion: """
              mediacache prune --max-size 5GB
              mediacache prune --max-age 12h --min-free 20GB

            Without limits, those of the environment or the configuration file apply, as `serve` has them, else its own: \
            10GB, 30d, 1GB free. What is pinned or in use \
            stays. Where another process owns the folder, its own limits apply, and none can be named here.
            --json prints an object: bytesFreed.
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var limits: LimitOptions
    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let given = limits.given
        let settings = try HostSettings(try cache.settings(limits.values, usesStandards: true))
        let report = try await Connection.use(settings) { connection in
            if !given.isEmpty, let owner = connection.owner {
                throw CommandFailure(
                    .failed,
                    "process \(owner.processID) owns the cache folder and prunes to its own limits; "
                        + "leave \(given.joined(separator: ", ")) out, or start that process with other limits")
            }
            return try await connection.client.prune()
        }
        try StandardStreams.print(json ? JSONOutput.text(report) : "Freed \(ByteCount(report.bytesFreed)).")
    }
}
