import ArgumentParser
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `mediacache import DIR`.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Imports a folder of playlists and segments, or a file, into the cache.",
        usage: "mediacache import <folder-or-file> [<options>]",
        discussion: """
            EXAMPLES:
              mediacache import ~/Films/holiday     a folder written by `export --bundle`
              mediacache import stream/index.m3u8
              mediacache import film.mp4 --title "A film"
              mediacache import ~/Films/holiday --trust-urls     under the original URLs
              mediacache import show/ --base https://example.org/show/ --gaps

            The import is a pinned asset that players find at /library/<id>/. It's stored under URLs of a \
            host that doesn't exist. With --trust-urls, the parts of a bundle (bundle.json) are stored under their \
            original URLs, and players that request these URLs receive the imported content. Use it only for folders \
            that you trust.
            With --base, the references of the playlists resolve against this URL, and the parts are stored under \
            the resulting URLs, which must be below it. With --gaps, parts without a file are listed as missing; \
            `downloads resume` fetches them from their URLs.
            Nothing outside the folder is read: playlists that refer to files outside it, to symbolic links that lead \
            out of it, or to other hosts are rejected. The folder isn't changed.

            OUTPUT:
            --json prints an object: asset, title, libraryURL, entry, parts, bytes, isAlreadyImported, missing \
            (names of parts without a file).
            """
    )

    @Argument(help: ArgumentHelp("The folder, its playlist, or a media file.", valueName: "folder-or-file"))
    var path: String

    @Option(help: "The title of the asset.")
    var title: String?

    @Flag(help: "Import the folder even if parts are missing.")
    var gaps = false

    @Flag(name: .customLong("trust-urls"), help: "Store the parts of a bundle under their original URLs.")
    var trustsURLs = false

    @Option(
        help: ArgumentHelp("The URL that references of the playlists resolve against.", valueName: "url"),
        transform: URLArgument.parse)
    var base: ResourceURL?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func validate() throws {
        if base != nil, trustsURLs { throw ValidationError("--base and --trust-urls can't be combined.") }
    }

    func run() async throws {
        let job = BundleImport(path: path, title: title, allowsGaps: gaps, trustsURLs: trustsURLs, base: base)
        let settings = try HostSettings(cache: cache)
        let result = try await Interruption().cancelling {
            try await Connection.use(settings) { try await job.run($0.client) }
        }
        guard let result else { throw CommandFailure(.interrupted, "interrupted") }
        let action =
            result.isAlreadyImported
            ? "Already imported" : "Imported \(result.parts.counted("part")), \(ByteCount(result.bytes))"
        let text =
            "\(action): \(Table.printable(result.title ?? path)).\n" + Self.missing(result.missing)
            + "`mediacache serve` provides it at /library/\(result.asset)/."
        try StandardStreams.print(json ? JSONOutput.text(result) : text)
    }

    private static func missing(_ names: [String]) -> String {
        guard !names.isEmpty else { return "" }
        let shown = names.prefix(10).map(Table.printable).joined(separator: ", ")
        let rest = names.count > 10 ? " and \(names.count - 10) more" : ""
        return "Missing: \(shown)\(rest).\n"
    }
}
