import ArgumentParser
import MediaContainers

/// `mediacache faststart IN OUT`.
struct FastStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faststart",
        abstract: "Moves the index of an MP4 to its front, so that playing starts before the end is there.",
        discussion: """
              mediacache faststart film.mp4 film-fast.mp4
              mediacache faststart film.mp4 film.mp4 --force        in place
              mediacache faststart https://example.org/film.mp4 ~/Films/

            Cameras and encoders write the index (moov) last. A player needs it first: of a file from afar it has to \
            read the end before it can show the beginning. The media's bytes stay as they are; only the index moves, \
            and its offsets with it (they grow to 64 bits where the file needs that).
            A file whose index is at the front already is copied. A fragmented MP4 needs none of this.
            A URL is read through the cache. The output appears whole or not at all.
            --json prints one object: input, output, size, indexSize, moved.
            """
    )

    @Argument(
        help: ArgumentHelp("The MP4: a file or a URL.", valueName: "in"), transform: InputArgument.init(parsing:))
    var input: InputArgument

    @Argument(help: ArgumentHelp("The file to make, or the folder to put it into.", valueName: "out"))
    var output: String

    @OptionGroup var results: ResultOptions
    @OptionGroup var origin: OriginOptions
    @OptionGroup var cache: CacheOptions

    func validate() throws {
        if let reason = MediaWork.unheeded(origin, by: [input]) { throw ValidationError(reason) }
    }

    func run() async throws {
        let target = OutputTarget(path: OutputPath.resolve(output, for: input), overwrites: results.force)
        // Before an hour of fetching, not after it.
        try target.check()
        let input = input
        let progress = WorkProgress(ProgressPrinter(name: target.path, isQuiet: results.quiet))
        let result = try await MediaWork.run(on: [input], origin: origin, cache: cache, showing: progress) { opening in
            let source = try opening.bytes(of: input)
            progress.expect(source.length)
            defer { progress.finish() }
            let view = try FastStart.view(of: source)
            var file = try OutputFile(target)
            try view.write(to: &file)
            try file.place()
            let index = view.layout.pieces.reduce(into: Int64(0)) { sum, piece in
                if case .generated = piece { sum += piece.length }
            }
            return Result(
                input: input.name, output: target.path, size: view.length, indexSize: index > 0 ? index : nil,
                moved: !view.layout.isIdentity(ofLength: source.length))
        }
        try StandardStreams.print(results.json ? JSONOutput.text(result) : result.text)
    }

    /// What was done.
    struct Result: Encodable, Sendable {
        /// What was read.
        var input: String
        /// The file that was made.
        var output: String
        /// Its bytes.
        var size: Int64
        /// The bytes of the index that moved.
        @Nullable var indexSize: Int64?
        /// Whether anything had to be moved.
        var moved: Bool

        /// In words.
        var text: String {
            let output = Table.printable(output)
            guard moved, let indexSize else {
                return "The index was at the front already; \(output) is a copy (\(ByteCount(size)))."
            }
            return "Moved the index (\(ByteCount(indexSize))) to the front: \(output) (\(ByteCount(size)))."
        }
    }
}
