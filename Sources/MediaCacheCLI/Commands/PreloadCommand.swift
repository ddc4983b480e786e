import ArgumentParser
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `mediacache preload URL…`.
struct PreloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preload",
        abstract: "Fetches the beginnings of films and streams, so that they start at once.",
        usage: "mediacache preload [<url> ...] [<options>]",
        discussion: """
            EXAMPLES:
              mediacache preload https://example.org/film.mp4
              mediacache preload https://example.org/a.m3u8 https://example.org/b.m3u8
              mediacache preload --seconds 30 --variant 720 https://example.org/a.m3u8
              mediacache preload --bytes 5MB --input-file urls.txt

            The parts that a player needs to start are fetched: for a stream the playlists, keys and first segments of \
            the best variant (or of --variant), for a file the first seconds, and for an MP4 also its index, even if \
            it's at the end. Without --bytes and --segments, the first 10 seconds, or those of --seconds, are fetched. \
            For a file, they are determined by the index or the bit rate; if neither is known, a second counts as 1 MiB.
            Earlier URLs have priority over later ones. Playback has priority over preloading, and preloading over \
            downloads. Preloaded data isn't pinned: it may be evicted like other cached data.
            If a server owns the folder, the server preloads. Ctrl-C stops the preloading.

            OUTPUT:
            --json prints an array of objects in the order of the URLs: url, state (ready or failed), bytes, length, \
            parts, partsDone, error. Absent values are omitted.
            Exit codes: 0 if all are ready; 1 if all failed; 2 if some failed; 130 after Ctrl-C.
            """
    )

    @Argument(
        help: ArgumentHelp("The URLs of files or HLS playlists, or IDs or titles from `list`.", valueName: "url"),
        completion: ServerCompletion.titles, transform: AssetReference.init(parsing:))
    var media: [AssetReference] = []

    @OptionGroup var list: URLListOption

    @Option(
        help: ArgumentHelp("The duration to preload, such as 30, 1:30 or 2m. (default: 10)", valueName: "time"),
        transform: TimeArgument.parse)
    var seconds: Double?

    @Option(
        help: ArgumentHelp("The number of bytes of each file or stream, such as 5MB.", valueName: "size"),
        transform: ByteCount.init(parsing:))
    var bytes: ByteCount?

    @Option(
        help: ArgumentHelp(
            "The number of segments of each playlist. For a file, a segment counts as 6 seconds.", valueName: "count"))
    var segments: Int?

    @Option(
        help: ArgumentHelp(
            "The variant of a stream: best, worst, all, a maximum height or a maximum bandwidth. (default: best)",
            valueName: "variant"),
        completion: .list(["best", "worst", "all", "1080", "720", "480", "360"]),
        transform: TrackOptions.variants)
    var variant: StreamSelection.Variants?

    @Option(
        help: ArgumentHelp(
            "The audio of a stream: languages such as de,en; all; none. (default: the stream's default)",
            valueName: "languages"),
        transform: TrackOptions.languages)
    var audio: StreamSelection.Languages?

    @Flag(name: .shortAndLong, help: "Don't show progress.")
    var quiet = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Origin options") var origin: OriginOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func validate() throws {
        if media.isEmpty, list.inputFile == nil {
            throw ValidationError("Specify a URL, or a file of URLs with --input-file.")
        }
        if [seconds != nil, bytes != nil, segments != nil].count(where: { $0 }) > 1 {
            throw ValidationError("--seconds, --bytes and --segments can't be combined.")
        }
        if let segments, segments < 0 { throw ValidationError("--segments must not be negative.") }
    }

    func run() async throws {
        let urls = try await list.urls(of: media, in: cache)
        let maximum = PreloadRequest.maximumURLs
        guard urls.count <= maximum else {
            throw CommandFailure(.usage, "\(urls.count) URLs can't be preloaded at once; the maximum is \(maximum)")
        }
        let request = PreloadRequest(
            urls: [], seconds: seconds, bytes: bytes?.bytes, segments: segments, variant: variant?.text,
            audio: audio?.text)
        let printer = ProgressPrinter(name: "preload", isQuiet: quiet || json)
        let header = origin.header
        let settings = try HostSettings(cache: cache, origin: origin, url: urls[0])
        let interruption = Interruption()
        let record = try await Connection.use(settings) { [urls] connection -> PreloadRecord? in
            for url in urls { try await HeaderArgument.apply(header, for: url, to: connection.client) }
            let record = try await connection.client.addPreload(of: urls, request)
            defer { printer.finish() }
            do {
                let result = try await interruption.cancelling {
                    try await Self.wait(for: record, connection.client, printer)
                }
                try? await connection.client.removePreload(record.id)
                return result
            } catch {
                try? await connection.client.removePreload(record.id)
                throw error
            }
        }
        guard let record else { throw CommandFailure(.interrupted, "interrupted; received data stays cached") }
        try StandardStreams.print(json ? JSONOutput.text(record.items) : Self.text(record))
        let failed = record.items.count { $0.state == .failed }
        if failed > 0 {
            throw CommandFailure(
                failed == record.items.count ? .failed : .partial,
                "\(failed) of \(record.items.count.counted("URL")) couldn't be preloaded")
        }
    }

    /// Waits until all items are ready or have failed.
    private static func wait(
        for record: PreloadRecord, _ client: APIClient, _ printer: ProgressPrinter
    ) async throws -> PreloadRecord {
        var record = record
        while !record.isFinished {
            try await Task.sleep(for: .milliseconds(100))
            record = try await client.preload(record.id)
            let lengths = record.items.map(\.length)
            let total = lengths.contains(nil) ? nil : lengths.compactMap(\.self).reduce(0, +)
            printer.show(bytes: record.items.reduce(0) { $0 + $1.bytes }, of: total)
        }
        return record
    }

    private static func text(_ record: PreloadRecord) -> String {
        record.items.map { item in
            let url = Table.printable(item.url)
            guard item.state == .failed else {
                let parts = item.parts > 1 ? " in \(item.partsDone.counted("part"))" : ""
                return "Preloaded \(url) (\(ByteCount(item.bytes))\(parts))."
            }
            return "Failed: \(url): \(Table.printable(item.error ?? "unknown error"))"
        }.joined(separator: "\n")
    }
}
