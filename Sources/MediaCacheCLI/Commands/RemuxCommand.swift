import ArgumentParser
import MediaCache
import MediaLibrary

/// `mediacache remux IN… -o OUT`.
struct RemuxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remux",
        abstract: "Combines a stream or files into one file, without encoding.",
        discussion: """
            EXAMPLES:
              mediacache remux https://example.org/film/index.m3u8 -o film.mp4
              mediacache remux recording.ts -o recording.mp4
              mediacache remux part1.ts part2.ts part3.ts -o whole.mp4
              mediacache remux video.mp4 audio.m4a --together -o film.mp4
              mediacache remux index.m3u8 --max-height 720 --language de -o film.mp4
              mediacache remux https://example.org/song.m3u8 -o song.m4a
              mediacache remux camera.mov -o camera.mp4
              mediacache remux 'A film' -o film.mp4

            Inputs are HLS playlists, MPEG transport streams, packed audio (AAC, AC-3, Enhanced AC-3, MP3), MP4, MOV \
            and fragmented MP4. The format is detected by content. URLs, and IDs and titles from `list`, are \
            read through the cache.
            Several inputs are joined in sequence. With --together, they become tracks that play at the same time, \
            aligned by their own timestamps. For a multivariant playlist, the best variant stream is selected, with \
            its audio; options select another.
            Samples are copied unchanged. Uncompressed audio of a MOV is copied too (ISO/IEC 23003-5), although not \
            every player supports it. Tracks that the output can't contain, such as time codes, are omitted and \
            listed. A codec that differs between files is an error. A segment that is damaged or has another codec \
            becomes a gap and is listed.
            Timestamps that wrap or restart become one timeline. The offset between audio and video is preserved, and \
            segments that the playlist marks as gaps stay gaps. Segments encrypted with AES-128, AES-256 or \
            AES-256-CTR are decrypted; SAMPLE-AES and DRM are errors.
            Subtitles (WebVTT) are written to files next to the output, one for each language, with times on the \
            output's timeline. --subtitles embed adds them to the MP4 instead, which few players support.
            The index of the output precedes the media. .m4a contains only the audio, .ts is an MPEG transport stream. \
            The output file appears only when it's complete.

            OUTPUT:
            --json prints an object: inputs, output, size, duration, tracks (as in `inspect --json`), subtitles \
            (files), omitted, missing (name, start, duration; for a damaged segment also reason), damage (places, \
            first, kinds) or null.
            The exit code is 2 if --gaps left gaps, a segment is damaged, or audio or video was omitted.
            """
    )

    @Argument(
        help: ArgumentHelp("The inputs: files, URLs, IDs and titles.", valueName: "in"),
        completion: ServerCompletion.itemsAndFiles, transform: InputArgument.init(parsing:))
    var inputs: [InputArgument]

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The output file: .mp4, .m4v, .m4a or .ts.", valueName: "file"),
        completion: .file())
    var output: String

    @Flag(help: "Combine the inputs as simultaneous tracks, instead of joining them in sequence.")
    var together = false

    @Option(
        help: ArgumentHelp("The URL that references of a playlist in a file resolve against.", valueName: "url"),
        transform: URLArgument.parse)
    var base: ResourceURL?

    @Flag(
        name: [.customLong("gaps"), .customLong("skip-missing")], help: "Leave gaps for segments that can't be read.")
    var gaps = false

    @OptionGroup var results: ResultOptions
    @OptionGroup var stream: StreamOptions
    @OptionGroup var subtitles: SubtitleOptions
    @OptionGroup(title: "Origin options") var origin: OriginOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    /// The inputs, and the URL whose origin may be contacted for a playlist in a file.
    private var sources: [InputArgument] { inputs + (base.map { [.url($0)] } ?? []) }

    func validate() throws {
        if inputs.isEmpty { throw ValidationError("The input is missing; specify files or URLs.") }
        if inputs.contains(.standardInput) {
            throw ValidationError("Standard input doesn't support random access; specify a file or a URL.")
        }
        if together, inputs.count == 1 { throw ValidationError("--together needs more than one input.") }
        if base != nil, inputs.contains(where: { $0.reference != nil }) {
            throw ValidationError("--base applies to a playlist in a file; the playlist of a URL has its own base.")
        }
        if let reason = MediaSession.unusedOption(of: origin, for: sources) { throw ValidationError(reason) }
        do {
            _ = try MediaFileKind(path: output)
        } catch let error as MediaJobError {
            throw ValidationError(error.message)
        }
        try subtitles.validate(output: output)
    }

    func run() async throws {
        var job = RemuxJob(inputs: [], output: OutputTarget(path: output, overwrites: results.force))
        // Fail before fetching rather than after it.
        try job.output.check()
        job.playsInParallel = together
        job.base = base.map { "\($0)" }
        job.choice = stream.choice
        job.leavesGaps = gaps
        job.subtitles = subtitles.subtitles
        job.onNote = StandardStreams.printNote
        let printer = ProgressPrinter(name: output, isQuiet: results.quiet)
        let inputs = inputs
        let result = try await MediaSession.run(on: sources, origin: origin, cache: cache) { [job] connection in
            var job = job
            for input in inputs { job.inputs.append(try await input.mediaInput(connection?.client)) }
            defer { printer.finish() }
            return try await job.run(gateway: connection?.gateway, progress: ReadProgress(printer))
        }
        try StandardStreams.print(results.json ? JSONOutput.text(result) : result.text)
        if let shortfall = result.shortfall { throw shortfall }
    }
}
