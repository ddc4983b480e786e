import ArgumentParser
import MediaCache
import MediaCacheAPI

/// `mediacache get URL…`.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Downloads films, songs and streams, and exports them on request.",
        discussion: """
            EXAMPLES:
              mediacache get https://example.org/film.mp4
              mediacache get https://example.org/film.mp4 -o ~/Films/
              mediacache get https://example.org/a.m3u8 --variant 720 --audio en -o a.mp4
              mediacache get https://example.org/show.m3u8 --formats
              mediacache get --input-file urls.txt -o '%(host)s/%(title)s.%(ext)s'
              mediacache get --input-file urls.txt --jobs 2
              mediacache get 'A film'         complete a film that was played
              mediacache get --header 'Cookie: session=1' https://example.org/film.mp4

            Cached data isn't fetched again. After Ctrl-C, a lost connection or a power cut, run the same command to \
            resume. Downloads are pinned, so that they aren't evicted; `remove` deletes them. `downloads` lists, \
            pauses and resumes downloads.
            For an HLS stream, the best variant stream is downloaded with its default audio and all subtitles; see \
            --variant, --audio and --subs. Unavailable segments are skipped and listed, and the exit code is 2.
            A live stream is followed until its end, for the duration of --for, or until `downloads finish`. After \
            Ctrl-C, run the same command to continue.
            With a name and password in the URL (http://user:password@host/…), the download belongs to that user. It's \
            found by the URL with or without the name and password. The password isn't stored.
            For a file, -o writes a reflink if the file system supports it, otherwise a hard link, otherwise a copy. A \
            hard link shares its data with the cache, so don't modify it. For a stream, -o writes an .mp4, .m4v, .m4a \
            or .ts, as `export` does. For several URLs, -o is a folder.

            OUTPUT:
            --json prints an object for each event, one per line: event (state, progress, result), asset, url, title, \
            kind, state (queued, running, paused, waiting, failed, complete, completeWithHoles), reason (code, \
            message, until, retryable), bytes, length, isLengthExact, partsDone, parts, rate. The last event of each URL is its \
            result: complete, holeCount, holes (url, role, start, duration, reason, retryable), notes, error; with -o output, \
            and method (clone, hardLink, copy) or remux (the object of `remux --json`); for a file also the keys of \
            `info --json`.
            Exit codes: 0 if all downloads are complete; 1 if one failed or waits for space; 2 if parts are missing; \
            130 after Ctrl-C.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The URLs of files or HLS playlists, or IDs or titles from `list`.", valueName: "url"),
        completion: ServerCompletion.titles, transform: AssetReference.init(parsing:))
    var media: [AssetReference] = []

    @OptionGroup var list: URLListOption

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Export to this file or folder. Missing folders are created.",
            discussion: "The path can contain %(title)s, %(ext)s, %(id)s, %(host)s and %(index)s (the URL's position).",
            valueName: "file"))
    var output: String?

    @Flag(
        name: [.customShort("F"), .long],
        help: "List the variants and languages of the URLs, without downloading.")
    var formats = false

    @OptionGroup var selection: SelectionOptions

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "Follow a live stream for this duration instead of to its end: 90, 1:30:00, 2h.", valueName: "time"),
        transform: TimeArgument.parse)
    var duration: Double?

    @OptionGroup var downloads: DownloadOptions
    @OptionGroup var results: ResultOptions
    @OptionGroup(title: "Origin options") var origin: OriginOptions
    @OptionGroup var admission: AdmissionOptions
    @OptionGroup var limits: LimitOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func validate() throws {
        if media.isEmpty, list.inputFile == nil {
            throw ValidationError("Specify a URL, or a file of URLs with --input-file.")
        }
    }

    private func printFormats(of urls: [ResourceURL], _ settings: HostSettings) async throws {
        let header = origin.header
        let records = try await Interruption().cancelling {
            try await Connection.use(settings) { connection in
                var records: [ProbeRecord] = []
                for url in urls {
                    try await HeaderArgument.apply(header, for: url, to: connection.client)
                    records.append(try await connection.client.probe(url))
                }
                return records
            }
        }
        guard let records else { throw CommandFailure(.interrupted, "interrupted") }
        let text = records.map(FormatReport.text).joined(separator: "\n\n")
        try StandardStreams.print(results.json ? JSONOutput.text(records) : text)
    }

    func run() async throws {
        let urls = try await list.urls(of: media, in: cache)
        let export = output.map {
            GetExport(
                output: $0, isFolder: urls.count > 1, overwrites: results.force, selection: selection.selection)
        }
        if !formats { try export?.check(urls) }
        let settings = try HostSettings(
            cache: cache, limits: limits, admission: admission, origin: origin, downloads: downloads, url: urls[0])
        guard !formats else { return try await printFormats(of: urls, settings) }
        let session = GetSession(
            urls: urls, selection: selection, seconds: duration, header: origin.header, export: export,
            printsJSON: results.json, isQuiet: results.quiet)
        let interruption = Interruption()
        let outcomes = try await OwnerEnded.retryingOnOwnerExit(settings) { connection in
            let outcomes = try await session.run(through: connection, until: interruption)
            // Ctrl-C ends the wait for other commands.
            _ = try await interruption.cancelling { await connection.waitForOtherDownloads() }
            return outcomes
        }
        try GetOutcome.report(outcomes, asJSON: results.json)
    }
}
