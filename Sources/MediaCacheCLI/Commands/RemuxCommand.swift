import ArgumentParser
import MediaCache

/// `mediacache remux IN… -o OUT`.
struct RemuxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remux",
        abstract: "Makes one file of a stream or of files, without encoding anything anew.",
        discussion: """
              mediacache remux https://example.org/film/index.m3u8 -o film.mp4
              mediacache remux recording.ts -o recording.mp4
              mediacache remux part1.ts part2.ts part3.ts -o whole.mp4
              mediacache remux pictures.mp4 sound.m4a --together -o film.mp4
              mediacache remux index.m3u8 --max-height 720 --language de -o film.mp4
              mediacache remux https://example.org/song.m3u8 -o song.m4a
              mediacache remux camera.mov -o camera.mp4

            Inputs are playlists (HLS), MPEG transport streams, packed audio (AAC, AC-3, Enhanced AC-3, MP3), MP4, MOV \
            and fragmented MP4; what they are is told by their content. URLs are read through the cache: what is kept \
            isn't asked for again, and what comes is kept.
            Several inputs follow each other; with --together they are played at once, by their own clocks: they are \
            of one recording. Of a multivariant playlist the best variant stream is taken, with its sound; options \
            choose another.
            Samples keep their bytes; uncompressed sound of a MOV stays so (ISO/IEC 23003-5), which not every player \
            knows. What MP4 can't carry, such as time code, is named and left out. A codec that changes from one \
            file to the next is an error that says where. A damaged segment of a stream, or one of another codec than \
            the rest, stays a gap and is named.
            Clocks that wrap or begin anew become one line of time, the offset between sound and picture stays, and \
            segments that the playlist calls absent stay gaps of their length. Segments encrypted by AES-128, AES-256 \
            or AES-256-CTR are decrypted; SAMPLE-AES and DRM are refused.
            Subtitles (WebVTT) become files beside the output, one for each language, with times on its timeline: \
            players show these, and few know tracks of WebVTT in MP4, which --subtitles embed makes.
            The output's index comes first, so that it plays while it's sent. .m4a takes the sound alone, .ts makes \
            an MPEG transport stream. The output appears whole or not at all.
            --json prints one object: inputs, output, size, duration, tracks (as `inspect --json` has them), \
            subtitles (files), leftOut, missing (name, start, duration, reason of damage), damage (places, first, kinds) \
            or null.
            Exit code 2 if --skip-missing left gaps, a segment is damaged, or sound or pictures had to be left out.
            """
    )

    @Argument(
        help: ArgumentHelp("What to read: files and URLs.", valueName: "in"), transform: InputArgument.init(parsing:))
    var inputs: [InputArgument]

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The file to make: .mp4, .m4v, .m4a or .ts.", valueName: "file"),
        completion: .file())
    var output: String

    @Flag(help: "Play the inputs at once, instead of one after the other.")
    var together = false

    @Option(
        help: ArgumentHelp("The URL that references of a playlist in a file resolve against.", valueName: "url"),
        transform: URLArgument.parse)
    var base: ResourceURL?

    @Flag(help: "Go on where a segment can't be had, and leave a gap of its length.")
    var skipMissing = false

    @OptionGroup var results: ResultOptions
    @OptionGroup var stream: StreamOptions
    @OptionGroup var subtitles: SubtitleOptions
    @OptionGroup var origin: OriginOptions
    @OptionGroup var cache: CacheOptions

    /// Whatever may be asked for.
    private var asked: [InputArgument] { inputs + (base.map { [.url($0)] } ?? []) }

    func validate() throws {
        if inputs.isEmpty { throw ValidationError("The input is missing: files or URLs.") }
        if inputs.contains(.standardInput) {
            throw ValidationError("Standard input can't be read at any place; name a file or a URL.")
        }
        if together, inputs.count == 1 { throw ValidationError("--together takes more than one input.") }
        if base != nil, inputs.contains(where: \.isURL) {
            throw ValidationError("--base is for a playlist in a file; one at a URL has its base.")
        }
        if let reason = MediaWork.unheeded(origin, by: asked) { throw ValidationError(reason) }
        do {
            _ = try MediaFileKind(path: output)
        } catch let failure as CommandFailure {
            throw ValidationError(failure.message)
        }
        try subtitles.validate(output: output)
    }

    func run() async throws {
        let target = OutputTarget(path: output, overwrites: results.force)
        // Before an hour of fetching, not after it.
        try target.check()
        let job = RemuxJob(
            inputs: inputs, isTogether: together, base: base.map { "\($0)" }, choice: stream.choice,
            leavesGaps: skipMissing, target: target, subtitles: subtitles.subtitles)
        let progress = WorkProgress(ProgressPrinter(name: output, isQuiet: results.quiet))
        let result = try await MediaWork.run(on: asked, origin: origin, cache: cache, showing: progress) {
            try job.run($0)
        }
        try StandardStreams.print(results.json ? JSONOutput.text(result) : result.text)
        if let shortfall = result.shortfall { throw shortfall }
    }
}
