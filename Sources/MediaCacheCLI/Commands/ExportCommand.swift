import ArgumentParser
import MediaCache
import MediaCacheAPI
import MediaCacheServer
import MediaLibrary

/// `mediacache export ASSET -o OUT`.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Exports a cached film, stream or channel as a file or folder, without contacting its origin.",
        discussion: """
            EXAMPLES:
              mediacache export https://example.org/film/index.m3u8 -o film.mp4
              mediacache export https://example.org/a.mp4 --from 12:34 --to 15:00 -o b.mp4
              mediacache export 17 -o song.m4a
              mediacache export 17 --transcode -o song.mp3
              mediacache export 'A film' --bundle film/
              mediacache export news --from 2026-01-31T20:15:00Z --to now -o film.mp4
              mediacache export news --from 20:15 --to 21:45 -o film.mp4
              mediacache export news --from -3600 --to now -o hour.mp4
              mediacache export news --from -3600 --to now --bundle hour/

            The asset is a URL, an ID or title from `list`, or the name of a channel. By default, the origin isn't \
            contacted: missing parts are listed, and no file is written. --fetch contacts the origin for them; --gaps \
            leaves gaps instead. For a multivariant playlist, the best completely cached variant stream is selected, \
            with all downloaded or recorded audio; --language selects one rendition.
            --from and --to are positions from the beginning: seconds, m:s, h:m:s or 12m34s. The file contains the \
            video from the preceding key frame on, which is needed for decoding, and an edit list that begins at the \
            exact time. A .ts file has no edit lists and begins with that key frame. For a channel, --from and --to \
            are points in time: a time of day such as 20:15 (the last one for --from, the next one after it for --to), \
            seconds or milliseconds since 1970, ISO 8601, -<seconds> for seconds ago (limited to the start of the \
            recording), or now. The last two are relative to the stream's clock, which can differ \
            from the server's. Without --from and --to, everything is exported.
            Encrypted streams whose keys are cached are decrypted, as by `remux`. The index of the output precedes the \
            media, and .m4a contains only the audio. The output file appears only when it's complete. Subtitles \
            (WebVTT) are written to files next to the output, as by `remux`.
            --transcode encodes the output with ffmpeg for players that don't support the original: .mp4 (H.264, AAC), \
            .3gp, .webm (VP8, Opus) or .mp3.
            --bundle writes a download, a channel or a window of it to a folder: playlists with relative references, \
            segments, keys, and bundle.json, which records the origin. Any web server or player can use its \
            index.m3u8, and `import` imports it again. Segments that are wrapped in images or compressed are \
            unwrapped. Files are reflinks if the file system supports them, otherwise hard links, otherwise copies. A \
            hard link shares its data with the cache, so don't modify it. Recorded segments are copied; a window \
            contains whole segments. The folder appears only when it's complete.

            OUTPUT:
            --json prints the object of `remux --json`; with --bundle asset, output, entry, parts, bytes, missing.
            A segment that is damaged or has another codec becomes a gap and is listed.
            The exit code is 2 if --gaps left gaps, a segment is damaged, or audio or video was omitted.
            """
    )

    @Argument(
        help: ArgumentHelp("The asset: a URL, an ID, a title or a channel.", valueName: "asset"),
        completion: ServerCompletion.items,
        transform: AssetReference.init(parsing:))
    var asset: AssetReference

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The output file: .mp4, .m4v, .m4a or .ts; with --transcode .mp4, .3gp, .webm or .mp3.", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp("The output folder, instead of a file.", valueName: "folder"), completion: .directory)
    var bundle: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Start at this position, or for a channel at this time. (default: the beginning)", valueName: "time"),
        transform: ExportCommand.time)
    var from: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "End at this position, or for a channel at this time. (default: the end)", valueName: "time"),
        transform: ExportCommand.time)
    var to: String?

    @Flag(help: "Encode the output with ffmpeg.")
    var transcode = false

    @Flag(help: "Contact the origin for missing parts.")
    var fetch = false

    @Flag(help: "Leave gaps for missing segments.")
    var gaps = false

    @OptionGroup var results: ResultOptions
    @OptionGroup var stream: StreamOptions
    @OptionGroup var subtitles: SubtitleOptions
    @OptionGroup(title: "Origin options") var origin: OriginOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func validate() throws {
        // Midnight may be between two times of day.
        let isClock = from.map { ClockTime($0) != nil } ?? false && to.map { ClockTime($0) != nil } ?? false
        if let from = try? from.map(TimeArgument.parse), let to = try? to.map(TimeArgument.parse), to <= from, !isClock
        {
            throw ValidationError("--to must be later than --from.")
        }
        guard (output == nil) != (bundle == nil) else {
            throw ValidationError("Specify either an output file with -o or a folder with --bundle.")
        }
        guard let output else {
            guard !transcode, !fetch else {
                throw ValidationError("--bundle can't be combined with --transcode or --fetch.")
            }
            return
        }
        do {
            if transcode { _ = try TranscodedFormat(path: output) } else { _ = try MediaFileKind(path: output) }
        } catch let failure as CommandFailure {
            throw ValidationError(failure.message)
        } catch let error as MediaJobError {
            throw ValidationError(error.message)
        }
        try subtitles.validate(output: output, encodes: transcode)
        let given = (origin.header.isEmpty ? [] : ["--header"]) + origin.given
        if !fetch, let option = given.first {
            throw ValidationError("\(option) applies to requests to the origin, which need --fetch.")
        }
    }

    private var selection: ExportSelection {
        ExportSelection(asset: asset, from: from, to: to, fetches: fetch)
    }

    func run() async throws {
        if let bundle { return try await write(bundle) }
        guard let output else { return }
        var job = RemuxJob(inputs: [], output: OutputTarget(path: output, overwrites: results.force))
        try job.output.check()
        (job.choice, job.leavesGaps, job.subtitles) = (stream.choice, gaps, subtitles.subtitles)
        job.onNote = StandardStreams.printNote
        let format = transcode ? try TranscodedFormat(path: output) : nil
        // Fail before reading rather than after it.
        let ffmpeg = try format.map { _ in try FFmpeg(for: "encoding “\(output)”") }
        let printer = ProgressPrinter(name: output, isQuiet: results.quiet)
        let selection = selection
        let result = try await MediaSession.run(
            through: cache, origin: origin, url: asset.url
        ) { [job] connection -> RemuxResult in
            var job = job
            let (name, gaps) = try await selection.resolve(&job, connection.client)
            let gateway = APIGateway(client: connection.client, cachedOnly: !selection.fetches)
            let progress = ReadProgress(printer)
            defer { printer.finish() }
            var result =
                if let ffmpeg, let format {
                    try await Transcoding(job: job, format: format, ffmpeg: ffmpeg).run(gateway, progress)
                } else {
                    try await job.run(gateway: gateway, progress: progress)
                }
            result.inputs = [name]
            result.missing += gaps
            return result
        }
        try StandardStreams.print(results.json ? JSONOutput.text(result) : result.text)
        if let shortfall = result.shortfall { throw shortfall }
    }

    /// Parses a position in a film or a time of a channel.
    private static func time(_ text: String) throws -> String {
        guard !TimeArgument.isPosition(text) else { return text }
        do {
            return try MomentArgument(parsing: text).text
        } catch is ArgumentTextError {
            throw ArgumentTextError(
                "“\(text)” is not a time; for a film use 754.5, 12:34.5, 1:02:03 or 12m34s, for a channel seconds or "
                    + "milliseconds since 1970, 20:15, 2026-01-31T20:15:00Z, -<seconds> for seconds ago, or now")
        }
    }

    private func write(_ bundle: String) async throws {
        let target = OutputFolder(path: bundle, overwrites: results.force)
        try target.check()
        let printer = ProgressPrinter(name: bundle, isQuiet: results.quiet)
        let (selection, leavesGaps) = (selection, gaps)
        let result = try await MediaSession.run(through: cache, origin: origin, url: nil) { connection in
            let source = try await selection.bundleSource(connection.client)
            defer { printer.finish() }
            return try await BundleExport(of: source, to: target, leavesGaps: leavesGaps)
                .run(gateway: connection.gateway, progress: ReadProgress(printer))
        }
        let missing = result.missing.isEmpty ? "" : " Missing: \(result.missing.joined(separator: ", "))."
        let size = "\(result.parts.counted("part")) (\(ByteCount(result.bytes)))"
        let text = "Wrote \(size) to \(Table.printable(bundle)).\(missing)"
        try StandardStreams.print(results.json ? JSONOutput.text(result) : text)
        if !result.missing.isEmpty {
            let count = result.missing.count
            throw CommandFailure(
                .partial, "\(count.counted("part")) \(count == 1 ? "is" : "are") missing and omitted")
        }
    }
}

/// The asset or the window of a channel that a command exports.
private struct ExportSelection: Sendable {
    var asset: AssetReference
    var from: String?
    var to: String?
    var fetches: Bool

    /// Sets the input of a job. Returns the input's name, and the gaps of a recording.
    func resolve(
        _ job: inout RemuxJob, _ client: APIClient
    ) async throws -> (name: String, gaps: [RemuxResult.Missing]) {
        if let window = try await window(client) { return (window.name.rawValue, try await job.setInput(window)) }
        job.clip = ClipRange(start: try from.map(TimeArgument.parse), end: try to.map(TimeArgument.parse))
        if let start = job.clip.start, let end = job.clip.end, end <= start {
            throw CommandFailure(.usage, "--to must be later than --from")
        }
        guard let cached = try await CachedAsset(asset, cachedOnly: !fetches, client: client) else {
            throw CommandFailure(
                .failed, "\(asset.text) isn't cached; download it with `get`, or use --fetch to contact its origin")
        }
        // A clip needs only the segments in its range. Reading a missing segment is an error.
        if !fetches, !job.leavesGaps, job.clip.isWhole || !cached.isStream, let shortage = cached.shortage {
            let fetching = "use --fetch to contact its origin"
            let advice =
                cached.isDownload
                ? "use --gaps to leave gaps" : cached.isStream ? "\(fetching), or --gaps to leave gaps" : fetching
            throw CommandFailure(.failed, "\(shortage); \(advice)")
        }
        job.setInput(cached)
        job.isAvailable = { cached.isComplete(playURL: $0) }
        return ("\(cached.url)", [])
    }

    /// Returns the asset or the window of a channel to write to a folder.
    func bundleSource(_ client: APIClient) async throws -> BundleExport.Source {
        let name: String
        if case .url(let url) = asset {
            name = "\(url)"
        } else {
            let item = try await client.item(asset)
            name = item.kind == .asset || item.kind == .channel ? item.id : item.url
        }
        if from == nil, to == nil {
            do {
                return try await client.bundleSource(ofAsset: name)
            } catch let problem as Problem where problem.status == 404 {
                // The name may be a channel's.
                guard let window = try await window(client) else { throw problem }
                return try await client.bundleSource(of: window)
            }
        }
        guard let window = try await window(client) else {
            throw CommandFailure(
                .usage,
                "--from and --to with --bundle need a channel, but “\(name)” isn't one; "
                    + "`mediacache channels` lists the channels")
        }
        return try await client.bundleSource(of: window)
    }

    /// Returns the window of a channel; nil if the asset isn't a channel.
    private func window(_ client: APIClient) async throws -> ChannelWindow? {
        let bounds = [from, to].compactMap(\.self)
        let channel: ChannelRecord?
        if let name = asset.channelName, !bounds.allSatisfy(TimeArgument.isPosition) {
            channel = try await client.channel(name)
        } else {
            channel = try await client.channel(asset, withPositions: !bounds.isEmpty)
        }
        guard let channel else { return nil }
        let window = try await ChannelWindow(of: channel, from: from, to: to, client: client)
        if bounds.contains(where: { ClockTime($0) != nil }) {
            let span = window.milliseconds
            StandardStreams.printError(
                "mediacache: note: the window is \(MomentText.exact(span.lowerBound)) to "
                    + "\(MomentText.exact(span.upperBound))")
        }
        if window.startsLate {
            StandardStreams.printError(
                "mediacache: note: the recording of \(window.name) doesn't go back that far; the window begins at "
                    + "\(MomentText.exact(window.milliseconds.lowerBound))")
        }
        return window
    }
}

extension CachedAsset {
    /// Returns whether the media playlist at a play URL is cached with all its segments; true if that's unknown.
    func isComplete(playURL: String) -> Bool {
        guard let path = playURL.firstRange(of: "/play/").map({ playURL[$0.lowerBound...] }),
            let target = try? PlayTarget(String(path))
        else { return true }
        return isComplete(playlist: target.url)
    }
}
