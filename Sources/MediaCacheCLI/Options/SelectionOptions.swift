import ArgumentParser
import MediaCacheAPI
import MediaLibrary

/// The variant streams and renditions to download.
struct SelectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The variant: best, worst, all, a maximum height such as 720, or a maximum bandwidth such as 2500000.",
            discussion: "Numbers below 10,000 are heights in pixels, others bits per second. (default: best)",
            valueName: "variant"),
        completion: .list(["best", "worst", "all", "1080", "720", "480", "360"]),
        transform: TrackOptions.variants)
    var variant = StreamSelection.Variants.best

    @Option(
        help: ArgumentHelp(
            "The audio: languages such as de,en; all; none. (default: the stream's default)",
            discussion: "An absent language is an error, unless it's written with a question mark: 'fr?'.",
            valueName: "languages"),
        transform: LanguagesArgument.init(parsing:))
    var audio = LanguagesArgument(.standard)

    @Option(
        name: [.customLong("subs"), .customLong("subtitles")],
        help: ArgumentHelp("The subtitles: languages, all or none. (default: all)", valueName: "languages"),
        transform: LanguagesArgument.init(parsing:))
    var subs = LanguagesArgument(.all)

    var selection: StreamSelection {
        StreamSelection(variants: variant, audio: audio.languages, subtitles: subs.languages)
    }
}
