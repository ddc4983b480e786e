import ArgumentParser
import MediaCache
import MediaContainers
import MediaLibrary

/// `mediacache cover URL|FILE`.
struct CoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cover",
        abstract: "Takes the picture of a song or a film: the one embedded in it, or one of its frames.",
        discussion: """
              mediacache cover https://example.org/song.mp3 -o cover.jpg
              mediacache cover film.mp4 -o cover.jpg
              mediacache cover https://example.org/film/index.m3u8 --at 12:34 -o scene.jpg
              mediacache cover song.m4a                              tells what there is

            Embedded pictures (covr of MP4, APIC of ID3) are read natively, and nothing else of the file but its index \
            or tag. Where there is none, or with --at, ffmpeg takes a frame if it's installed. A URL is read through \
            the cache.
            --json prints one object: input, type, size, embedded, output.
            """
    )

    @Argument(
        help: ArgumentHelp("The song or film: a URL or a file.", valueName: "url-or-file"),
        transform: InputArgument.init(parsing:))
    var input: InputArgument

    @Option(name: .shortAndLong, help: ArgumentHelp("The file to make.", valueName: "file"))
    var output: String?

    @Option(
        help: ArgumentHelp("Take a frame at this moment, such as 754.5 or 12:34.", valueName: "time"),
        transform: TimeArgument.parse)
    var at: Double?

    @Flag(help: "Replace the output file if it's there.")
    var force = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var origin: OriginOptions
    @OptionGroup var cache: CacheOptions

    func validate() throws {
        if input == .standardInput { throw ValidationError("Standard input can't be read at any place; name a file.") }
        if let reason = MediaWork.unheeded(origin, by: [input]) { throw ValidationError(reason) }
    }

    func run() async throws {
        let target = output.map { OutputTarget(path: $0, overwrites: force) }
        try target?.check()
        let (input, time) = (input, at)
        let result = try await MediaWork.run(on: [input], origin: origin, cache: cache) { opening in
            let source = try opening.bytes(of: input)
            let embedded = time == nil ? try Cover.embedded(in: source) : nil
            guard let cover = try embedded ?? Self.frame(of: input, at: time, opening) else {
                throw CommandFailure(
                    .failed, "\(input.name) has no picture" + (time == nil ? "" : " at that moment"))
            }
            if let target {
                let file = try OutputFile(target)
                try cover.bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in try file.write(bytes) }
                try file.place()
            }
            return Result(
                input: input.name, type: cover.mediaType, size: cover.bytes.count, embedded: embedded != nil,
                output: target?.path)
        }
        try StandardStreams.print(json ? JSONOutput.text(result) : result.text)
    }

    private static func frame(of input: InputArgument, at time: Double?, _ opening: InputOpening) throws -> Cover? {
        let name: String
        switch input {
        case .url(let url): name = try opening.playURL(for: url)
        case .file(let path): name = path.hasPrefix("/") ? path : "./\(path)"
        case .standardInput: throw InputOpening.standardInputFailure
        }
        let frame = FilmFrame(input: name, time: time ?? FilmFrame.usualTime)
        if let cover = try frame.take(of: input.name, opening.control) { return cover }
        guard time == nil else { return nil }
        // Shorter than that: its first picture.
        return try FilmFrame(input: name, time: 0).take(of: input.name, opening.control)
    }

    /// What was found.
    struct Result: Encodable, Sendable {
        /// What was read.
        var input: String
        /// The media type.
        var type: String
        /// The picture's bytes.
        var size: Int
        /// Whether it's the file's own; else it's a frame.
        var embedded: Bool
        /// The file that was made.
        @Nullable var output: String?

        /// In words.
        var text: String {
            let what = "\(embedded ? "An embedded picture" : "A frame") (\(type), \(ByteCount(Int64(size))))"
            return Table.printable(output.map { "\(what), put at \($0)." } ?? "\(what) of \(input).")
        }
    }
}
