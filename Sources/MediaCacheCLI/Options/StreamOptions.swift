import ArgumentParser
import HLS
import MediaLibrary

/// What is taken of a multivariant playlist.
struct StreamOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Of the variant streams, the tallest up to so many pixels.", valueName: "pixels"))
    var maxHeight: Int?

    @Option(
        help: ArgumentHelp("The one of the greatest bandwidth up to so many bits per second.", valueName: "bits"))
    var maxBandwidth: Int?

    @Option(help: ArgumentHelp("One whose codecs begin so: avc1, hvc1.2, mp4a.40.2.", valueName: "codec"))
    var codec: String?

    @Flag(help: "The one of the least bandwidth.")
    var lowest = false

    @Option(help: ArgumentHelp("The language of the sound, such as de or en-GB.", valueName: "language"))
    var language: String?

    @Flag(help: "All audio renditions, instead of one.")
    var allAudio = false

    func validate() throws {
        if let number = [maxHeight, maxBandwidth].compactMap(\.self).first(where: { $0 <= 0 }) {
            throw ValidationError("\(number) is no limit; it has to be more than 0.")
        }
        if language != nil, allAudio { throw ValidationError("--language takes one rendition, --all-audio all.") }
    }

    /// The choice that they make.
    var choice: StreamChoice {
        let selections: [VariantSelection?] = [
            codec.map { .codec($0) }, language.map { .language($0) }, maxHeight.map { .height(atMost: $0) },
            maxBandwidth.map { .bandwidth(atMost: $0) }, lowest ? .lowest : nil,
        ]
        return StreamChoice(variants: selections.compactMap(\.self), language: language, takesAllAudio: allAudio)
    }
}
