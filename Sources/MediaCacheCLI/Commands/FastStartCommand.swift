import ArgumentParser
import MediaCache
import MediaLibrary

/// `mediacache faststart IN OUT`.
struct FastStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faststart",
        abstract: "Moves the index of an MP4 to the front, so that playback starts at once.",
        discussion: """
            EXAMPLES:
              mediacache faststart film.mp4 film-fast.mp4
              mediacache faststart film.mp4 film.mp4 --force        in place
              mediacache faststart https://example.org/film.mp4 ~/Films/
              mediacache faststart 'A film' ~/Films/

            Many cameras and encoders write the index (moov) last, but players need it first: they must request the \
            end of a remote file before its beginning. The media isn't changed. Only the index moves, and its offsets are \
            adjusted (to 64 bits if necessary).
            A file whose index is already at the front is copied. A fragmented MP4 doesn't need this.
            A URL, or an ID or title from `list`, is read through the cache. The output file appears only when it's \
            complete.

            OUTPUT:
            --json prints an object: input, output, size, indexSize, moved.
            """
    )

    @Argument(
        help: ArgumentHelp("The MP4: a file, a URL, an ID or a title.", valueName: "in"),
        completion: ServerCompletion.itemsAndFiles, transform: InputArgument.init(parsing:))
    var input: InputArgument

    @Argument(help: ArgumentHelp("The output file or its folder.", valueName: "out"))
    var output: String

    @OptionGroup var results: ResultOptions
    @OptionGroup(title: "Origin options") var origin: OriginOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func validate() throws {
        if let reason = MediaSession.unusedOption(of: origin, for: [input]) { throw ValidationError(reason) }
    }

    func run() async throws {
        let input = input
        let path = OutputPath.resolve(output, for: input)
        let target = OutputTarget(path: path, overwrites: results.force)
        // Fail before fetching rather than after it.
        try target.check()
        let printer = ProgressPrinter(name: path, isQuiet: results.quiet)
        let result = try await MediaSession.run(on: [input], origin: origin, cache: cache) { connection in
            defer { printer.finish() }
            let job = FastStartJob(input: try await input.mediaInput(connection?.client), output: target)
            return try await job.run(gateway: connection?.gateway, progress: ReadProgress(printer))
        }
        try StandardStreams.print(results.json ? JSONOutput.text(result) : Self.text(result))
    }

    private static func text(_ result: FastStartJob.Result) -> String {
        let output = Table.printable(result.output)
        guard result.moved, let indexSize = result.indexSize else {
            return "The index is already at the front; \(output) is a copy (\(ByteCount(result.size)))."
        }
        return "Moved the index (\(ByteCount(indexSize))) to the front: \(output) (\(ByteCount(result.size)))."
    }
}
