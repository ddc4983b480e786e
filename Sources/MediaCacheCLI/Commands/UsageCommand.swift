import ArgumentParser
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `mediacache usage`.
struct UsageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "usage",
        abstract: "Shows the disk usage and the size limit.",
        usage: "mediacache usage [<options>]",
        discussion: """
            EXAMPLES:
              mediacache usage
              mediacache usage --json | jq .bytes

            OUTPUT:
            --json prints an object: resources, complete, bytes, pinnedBytes, maximumBytes (of `serve`; omitted \
            without a limit), freeDiskBytes, covers, coverBytes.
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let settings = try HostSettings(cache: cache)
        let (json, limit) = (json, try SettingsReport(stored: cache).cache.limits.maximumBytes)
        let text = try await Connection.use(settings) { connection in
            var usage = try await connection.client.usage()
            // Without a server, no limit of size applies to this command.
            if connection.owner == nil { usage.usage.maximumBytes = limit }
            if json { return try JSONOutput.text(usage) }
            return Self.text(usage, try await connection.client.libraryItems(), settings.location)
        }
        try StandardStreams.print(text)
    }

    private static func text(_ record: UsageRecord, _ items: [LibraryItem], _ location: CacheLocation) -> String {
        let (usage, covers) = (record.usage, record.covers)
        var table = Table([.init(""), .init("")])
        table.add(["Folder", CacheFolder.describe(location)])
        table.add(["Items", ItemReport.count(items)])
        table.add(["Resources", "\(usage.resources), \(usage.complete) complete"])
        table.add(["Used", "\(ByteCount(usage.bytes))"])
        table.add(["Pinned", "\(ByteCount(usage.pinnedBytes))"])
        if covers.covers > 0 { table.add(["Covers", "\(covers.covers), \(ByteCount(covers.bytes))"]) }
        table.add(["Limit", usage.maximumBytes.map { "\(ByteCount($0))" } ?? "none"])
        table.add(["Free on disk", "\(ByteCount(usage.freeDiskBytes))"])
        return table.rendered()
    }
}
