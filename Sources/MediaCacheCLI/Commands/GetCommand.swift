import ArgumentParser
import MediaCache
import MediaCacheAPI

/// `mediacache get URL…`.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Keeps the whole of films, songs and streams, and copies them out if asked to.",
        discussion: """
              mediacache get https://example.org/film.mp4
              mediacache get https://example.org/film.mp4 -o ~/Films/
              mediacache get https://example.org/show/index.m3u8 --variant 720 --audio en -o show.mp4
              mediacache get --input-file urls.txt --jobs 2
              mediacache get --header 'Cookie: session=1' https://example.org/film.mp4

            What is here already isn't fetched again, and what has come stays whatever happens: after Ctrl-C, a lost \
            connection or a power cut the same command goes on from there. What was kept is pinned, so that eviction \
            leaves it alone; `remove` gives it up. `downloads` lists, pauses and resumes what is under way.
            Of an HLS stream the best variant stream is kept with its standard sound and all subtitles, unless --variant, \
            --audio and --subs say otherwise. A segment that can't be had stays a hole: it's named, and the exit code is 2.
            A live stream is followed until it ends, for as long as --for says, or until `downloads finish` takes it as it \
            is; after Ctrl-C the same command goes on with it.
            What comes by a user's name and password in the URL (http://user:password@host/…) is kept for that user. It \
            is found again by the URL with or without them; the password is nowhere kept.
            -o of a file makes one that shares its bytes with the cache where the file system can (reflink, else hard \
            link), else a copy. If it's a hard link, write to a copy of it, not to the file itself. -o of a stream makes \
            an .mp4, .m4v, .m4a or .ts of it, as `export` does. Of several URLs, -o names a folder.
            --json prints a line for each event: an object with event (state, progress, result), asset, url, title, kind, \
            state (queued, running, paused, waiting, failed, complete, completeWithHoles), reason (code, message, until, \
            retryable), bytes, length, lengthKnown, partsDone, parts, rate. The last of each URL is its result: complete, \
            holeCount, holes (url, role, start, duration, reason, retryable), notes, error, with -o output, and method \
            (clone, hardLink, copy) or remux (the object of `remux --json`); of a file also the keys of `info --json`.
            Exit code 0 if all is complete; 1 if something failed, or waits for space; 2 if a part couldn't be had; 130 \
            after Ctrl-C.
            """
    )

    @Argument(help: "The URLs.", transform: URLArgument.parse)
    var urls: [ResourceURL] = []

    @Option(
        help: ArgumentHelp("Read URLs from this file too, one a line; - is standard input.", valueName: "file"),
        completion: .file())
    var inputFile: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Copy it to this file, or into this folder.", valueName: "file"))
    var output: String?

    @OptionGroup var selection: SelectionOptions

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Follow a live stream so long, instead of to its end: 90, 1:30:00, 2h.", valueName: "time"),
        transform: TimeArgument.parse)
    var follows: Double?

    @OptionGroup var downloads: DownloadOptions
    @OptionGroup var results: ResultOptions
    @OptionGroup var origin: OriginOptions
    @OptionGroup var admission: AdmissionOptions
    @OptionGroup var limits: LimitOptions
    @OptionGroup var cache: CacheOptions

    func validate() throws {
        if urls.isEmpty, inputFile == nil { throw ValidationError("Name a URL, or a file of them with --input-file.") }
    }

    func run() async throws {
        let urls = try urls + (inputFile.map(URLFile.read) ?? [])
        guard let first = urls.first else { throw CommandFailure(.usage, "--input-file names no URL") }
        let export = output.map {
            GetExport(
                output: $0, isFolder: urls.count > 1, overwrites: results.force, selection: selection.selection)
        }
        for url in urls { try export?.check(url) }
        let settings = try HostSettings(
            cache: cache, limits: limits, admission: admission, origin: origin, downloads: downloads, url: first)
        let session = GetSession(
            urls: urls, selection: selection.selection, seconds: follows, header: origin.header, export: export,
            printsJSON: results.json, isQuiet: results.quiet)
        let interruption = Interruption()
        let outcomes = try await OwnerEnded.surviving(settings) { connection in
            let outcomes = try await session.run(through: connection, until: interruption)
            // So that Ctrl-C ends the waiting.
            _ = try await interruption.cancelling { await connection.waitForOthers() }
            return outcomes
        }
        try GetOutcome.report(outcomes, asJSON: results.json)
    }
}
