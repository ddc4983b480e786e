import ArgumentParser
import MediaCacheAPI
import MediaLibrary

/// Which variant streams and renditions of a stream are downloaded.
struct SelectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Of a stream: best, worst, all, the tallest up to a height such as 720, or the best up to a bandwidth such "
                + "as 2500000.",
            discussion: "A number below 10,000 is a height in pixels, else it's bits per second. (default: best)",
            valueName: "variant"),
        completion: .list(["best", "worst", "all", "1080", "720", "480", "360"]),
        transform: TrackOptions.variants)
    var variant = StreamSelection.Variants.best

    @Option(
        help: ArgumentHelp(
            "The sound: languages such as de,en; all; none. (default: what plays where nobody chooses)",
            valueName: "languages"),
        transform: TrackOptions.languages)
    var audio = StreamSelection.Languages.standard

    @Option(
        help: ArgumentHelp("The subtitles: languages, all or none. (default: all)", valueName: "languages"),
        transform: TrackOptions.languages)
    var subs = StreamSelection.Languages.all

    /// The selection that they make.
    var selection: StreamSelection { StreamSelection(variants: variant, audio: audio, subtitles: subs) }
}
