import ArgumentParser
import MediaLibrary

/// The options that select from a multivariant playlist.
struct StreamOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Select the tallest variant stream up to this height.", valueName: "pixels"))
    var maxHeight: Int?

    @Option(
        help: ArgumentHelp("Select the variant stream with the highest bandwidth up to this value.", valueName: "bits"))
    var maxBandwidth: Int?

    @Option(
        help: ArgumentHelp(
            "Select a variant stream with a codec that begins with this, such as avc1, hvc1.2 or mp4a.40.2.",
            valueName: "codec"))
    var codec: String?

    @Flag(help: "Select the variant stream with the lowest bandwidth.")
    var lowest = false

    @Option(help: ArgumentHelp("The audio language, such as de or en-GB.", valueName: "language"))
    var language: String?

    @Flag(help: "Include all audio renditions instead of one.")
    var allAudio = false

    func validate() throws {
        if let number = [maxHeight, maxBandwidth].compactMap(\.self).first(where: { $0 <= 0 }) {
            throw ValidationError("\(number) isn't a valid limit; it must be more than 0.")
        }
        if language != nil, allAudio { throw ValidationError("--language and --all-audio can't be combined.") }
    }

    var choice: StreamChoice {
        StreamChoice(
            codec: codec, maximumHeight: maxHeight, maximumBandwidth: maxBandwidth, lowest: lowest, language: language,
            includesAllAudio: allAudio)
    }
}
