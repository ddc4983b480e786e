import ArgumentParser
import MediaCacheAPI

/// `mediacache import DIR`.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Takes a folder of playlists and segments, or a file, into the cache.",
        discussion: """
              mediacache import ~/Films/holiday          what `export --bundle` made, or another program
              mediacache import stream/index.m3u8
              mediacache import film.mp4 --title "A film"
              mediacache import ~/Films/holiday --trust-urls   kept under the URLs that it came from

            What is taken in is an asset that is complete and pinned; players find it at /library/<id>/. It's kept under \
            URLs that no host has. With --trust-urls what a bundle (bundle.json) says it is, it is again: kept under the \
            URLs that it came from, and played for them. Whoever made the folder decides what these bytes are, so \
            trust your own alone.
            Nothing outside of the folder is read: playlists that name files or links that lead out of it, or other \
            hosts, are refused. The folder stays as it is.
            --json prints one object: asset, title, libraryURL, entry, parts, bytes, wasHere.
            """
    )

    @Argument(help: ArgumentHelp("The folder, its playlist, or a file of media.", valueName: "folder-or-file"))
    var path: String

    @Option(help: "What to call it.")
    var title: String?

    @Flag(help: "Take it in though it says that parts are missing.")
    var gaps = false

    @Flag(name: .customLong("trust-urls"), help: "Keep a bundle's parts under the URLs that it says they came from.")
    var trustsURLs = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let job = BundleImport(path: path, title: title, allowsGaps: gaps, trustsURLs: trustsURLs)
        let settings = try HostSettings(cache: cache)
        let done = try await Interruption().cancelling {
            try await Connection.use(settings) { try await job.run($0.client) }
        }
        guard let done else {
            throw CommandFailure(.interrupted, "interrupted")
        }
        let what =
            done.wasHere ? "It was here already" : "Took in \(done.parts.counted("part")), \(ByteCount(done.bytes))"
        let text =
            "\(what): \(Table.printable(done.title ?? path)).\n"
            + "Asset \(done.asset), which `mediacache serve` plays at /library/\(done.asset)/."
        try StandardStreams.print(json ? JSONOutput.text(done) : text)
    }
}
