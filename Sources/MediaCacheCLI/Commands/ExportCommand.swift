import ArgumentParser
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `mediacache export ASSET -o OUT`.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Makes an MP4, or a folder, of what is kept of a film, a stream or a channel, without its origin.",
        discussion: """
              mediacache export https://example.org/film/index.m3u8 -o film.mp4
              mediacache export https://example.org/film.mp4 --from 12:34 --to 15:00.5 -o scene.mp4
              mediacache export 17 -o song.m4a
              mediacache export 17 --transcode -o song.mp3
              mediacache export 'A film' --bundle film/
              mediacache export news --from 2026-01-31T20:15:00Z --to 2026-01-31T21:45:00Z -o film.mp4
              mediacache export news --from -3600 --to now -o hour.mp4
              mediacache export news --from -3600 --to now --bundle hour/

            The asset is a URL, a number of `list --json`, the name or the title of what was downloaded, or the name of \
            a channel that `record` made. Nothing is asked of the origin: what isn't kept is named, \
            and nothing is made. --fetch asks for it, --gaps leaves gaps of its length instead. Of a multivariant \
            playlist the best of the variant streams is taken that are here as a whole, of a download or a recording \
            with all the sound that was chosen for it; --language takes one.
            --from and --to are seconds, m:s, h:m:s or 12m34s, from the beginning. The file holds the pictures from the \
            key picture before, which is needed for decoding, and an edit list that begins at the exact moment; .ts \
            has none, and begins with that picture. Of a channel they are moments: seconds or milliseconds since 1970, \
            ISO 8601, -<seconds> for so long ago (or since the recording began), or now; the last two count from the \
            present by the stream's clock, which may differ from the server's. Without --from and --to all is taken that \
            is kept.
            Encrypted streams whose keys are kept are decrypted, as `remux` does it; the output's index comes first, \
            .m4a takes the sound alone, and the file appears whole or not at all.
            Subtitles (WebVTT) become files beside the output, as `remux` has it.
            --transcode encodes it anew with ffmpeg, if that is installed, for players that can't play it as it is: \
            .mp4 (H.264, AAC), .3gp, .webm (VP8, Opus) or .mp3.
            --bundle writes a folder of what was downloaded, or of a channel or a window of it: playlists with relative references, segments, keys, and \
            bundle.json, which says where it came from. Any web server or player can use it (index.m3u8), and `import` \
            takes it in again. Segments that hide behind a picture, or are stored compressed, are taken out. Files \
            share their bytes with the cache where the file system can (reflink, else hard link): write to copies of \
            them. What was recorded is copied; a window has the segments that --from and --to lie in as a whole. The folder \
            appears whole or not at all.
            --json prints the object of `remux --json`; with --bundle asset, output, entry, parts, bytes, missing.
            A damaged segment of a stream, or one of another codec than the rest, stays a gap and is named.
            Exit code 2 if --gaps left gaps, a segment is damaged, or sound or pictures had to be left out.
            """
    )

    @Argument(
        help: ArgumentHelp("What is kept: its URL or its number.", valueName: "asset"),
        completion: ServerCompletion.assetsAndChannels,
        transform: AssetArgument.init(parsing:))
    var asset: AssetArgument

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The file to make: .mp4, .m4v, .m4a or .ts.", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(help: ArgumentHelp("The folder to make, instead of a file.", valueName: "folder"), completion: .directory)
    var bundle: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Where to begin.", valueName: "time"),
        transform: ExportCommand.time)
    var from: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Where to end.", valueName: "time"),
        transform: ExportCommand.time)
    var to: String?

    @Flag(help: "Encode it anew, with ffmpeg.")
    var transcode = false

    @Flag(help: "Ask the origin for what isn't kept.")
    var fetch = false

    @Flag(help: "Leave gaps where segments aren't kept.")
    var gaps = false

    @OptionGroup var results: ResultOptions
    @OptionGroup var stream: StreamOptions
    @OptionGroup var subtitles: SubtitleOptions
    @OptionGroup var origin: OriginOptions
    @OptionGroup var cache: CacheOptions

    func validate() throws {
        if let from = try? from.map(TimeArgument.parse), let to = try? to.map(TimeArgument.parse), to <= from {
            throw ValidationError("--to has to be later than --from.")
        }
        guard (output == nil) != (bundle == nil) else {
            throw ValidationError("Name the file to make with -o, or the folder with --bundle.")
        }
        guard let output else {
            guard !transcode, !fetch else { throw ValidationError("--bundle writes what is kept as it is.") }
            return
        }
        do {
            if transcode { _ = try TranscodedFormat(path: output) } else { _ = try MediaFileKind(path: output) }
        } catch let failure as CommandFailure {
            throw ValidationError(failure.message)
        }
        try subtitles.validate(output: output, encodes: transcode)
        let given = (origin.header.isEmpty ? [] : ["--header"]) + origin.given
        if !fetch, let option = given.first {
            throw ValidationError("\(option) is about asking the origin, which export does only with --fetch.")
        }
    }

    func run() async throws {
        if let bundle { return try await write(bundle) }
        guard let output else { return }
        let target = OutputTarget(path: output, overwrites: results.force)
        try target.check()
        let progress = WorkProgress(ProgressPrinter(name: output, isQuiet: results.quiet))
        var url: ResourceURL?
        if case .url(let named) = asset { url = named }
        let format = transcode ? try TranscodedFormat(path: output) : nil
        // Before an hour of reading, not after it.
        let ffmpeg = try format.map { _ in try FFmpeg(for: "“\(output)” has to be encoded") }
        let (asset, from, to, fetches, gaps, choice) = (asset, from, to, fetch, gaps, stream.choice)
        let subtitles = subtitles.subtitles
        let result = try await MediaWork.run(through: cache, origin: origin, url: url, showing: progress) { opening in
            var opening = opening
            opening.isKeptOnly = !fetches
            var job = RemuxJob(
                inputs: [], choice: choice, leavesGaps: gaps, target: target, subtitles: subtitles)
            let name: String
            var lost: [RemuxResult.Missing] = []
            if let window = try ChannelWindow(asset, from: from, to: to, opening) {
                // What was recorded is what was chosen.
                if job.choice.language == nil { job.choice.takesAllAudio = true }
                job.choice.prefersMostMedia = true
                let resources = InputResources(opening: opening, readsFiles: false)
                let content = try window.content(resources, job.choice)
                if !gaps { try content.requireWhole(of: window.name) }
                (job.inputs, job.stretch, lost) = ([try window.input], content.stretch, content.gaps)
                name = window.name.rawValue
            } else {
                name = try Self.find(asset, from, to, opening, &job)
            }
            var result =
                if let ffmpeg, let format {
                    try Transcoding(job: job, format: format, ffmpeg: ffmpeg).run(opening)
                } else {
                    try job.run(opening)
                }
            result.inputs = [name]
            result.missing += lost
            return result
        }
        try StandardStreams.print(results.json ? JSONOutput.text(result) : result.text)
        if let shortfall = result.shortfall { throw shortfall }
    }

    /// A place in a film, or a moment of a channel.
    private static func time(_ text: String) throws -> String {
        guard !ChannelWindow.isPlaceInFilm(text) else { return text }
        do {
            return try MomentArgument(parsing: text).text
        } catch is ArgumentTextError {
            throw ArgumentTextError(
                "“\(text)” is no time: of a film write 754.5, 12:34.5, 1:02:03 or 12m34s, of a channel seconds or "
                    + "milliseconds since 1970, 2026-01-31T20:15:00Z, -<seconds> for so long ago, or now")
        }
    }

    /// What is read of what was downloaded or played.
    ///
    /// - Returns: what it's called.
    private static func find(
        _ asset: AssetArgument, _ from: String?, _ to: String?, _ opening: InputOpening, _ job: inout RemuxJob
    ) throws -> String {
        let stretch = Stretch(from: try from.map(TimeArgument.parse), to: try to.map(TimeArgument.parse))
        let kept = try KeptAsset(asset, opening)
        // Of a stretch, only its own segments are needed; one that isn't there is named when it's read.
        if opening.isKeptOnly, !job.leavesGaps, stretch.isWhole || !kept.isStream { try kept.requireWhole() }
        job.inputs = [kept.input]
        if kept.isDownload, job.choice.language == nil { job.choice.takesAllAudio = true }
        job.stretch = stretch
        job.isAvailable = { kept.isWhole(playURL: $0) }
        return "\(kept.url)"
    }

    private func write(_ bundle: String) async throws {
        let target = FolderTarget(path: bundle, overwrites: results.force)
        try target.check()
        let progress = WorkProgress(ProgressPrinter(name: bundle, isQuiet: results.quiet))
        let (asset, from, to, gaps) = (asset, from, to, gaps)
        let result = try await MediaWork.run(through: cache, origin: origin, url: nil, showing: progress) { opening in
            guard let client = opening.connection?.client else { throw CommandFailure(.failed, "no cache is open") }
            let (record, place) = try Self.bundle(asset, from, to, client, opening)
            defer { progress.finish() }
            return try BundleExport(asset: record, place: place, target: target, leavesGaps: gaps).run(opening)
        }
        let missing = result.missing.isEmpty ? "" : " Missing: \(result.missing.joined(separator: ", "))."
        let text =
            "Put \(result.parts.counted("part")), \(ByteCount(result.bytes)), at \(Table.printable(bundle)).\(missing)"
        try StandardStreams.print(results.json ? JSONOutput.text(result) : text)
        if !result.missing.isEmpty {
            let count = result.missing.count
            throw CommandFailure(
                .partial,
                "\(count.counted("part")) \(count == 1 ? "isn't kept and was" : "aren't kept and were") left out")
        }
    }

    /// What an asset, or a window of a channel, consists of, and what its names stand behind.
    private static func bundle(
        _ asset: AssetArgument, _ from: String?, _ to: String?, _ client: APIClient, _ opening: InputOpening
    ) throws -> (record: BundleRecord, place: String) {
        let name =
            switch asset {
            case .url(let url): "\(url)"
            case .asset(let name): name
            case .id(let id): try opening.control.wait { try await client.resource(id: id)?.url ?? "\(id)" }
            }
        let isWhole = from == nil && to == nil
        do {
            if isWhole {
                let record = try opening.control.wait { try await client.bundle(ofAsset: name) }
                return (record, client.libraryURL(ofAsset: record.id))
            }
        } catch let problem as Problem where problem.status == 404 {
            // It may be a channel's.
            guard try ChannelWindow(asset, from: nil, to: nil, opening) != nil else { throw problem }
        }
        guard let window = try ChannelWindow(asset, from: from, to: to, opening) else {
            throw CommandFailure(
                .usage, "--from and --to with --bundle are moments of a channel, and there is no channel “\(name)”")
        }
        let (channel, span) = (window.name, window.milliseconds)
        let record = try opening.control.wait {
            try await client.bundle(ofWindowOf: channel, from: span.lowerBound, to: span.upperBound)
        }
        return (record, client.liveURL(of: channel))
    }
}
