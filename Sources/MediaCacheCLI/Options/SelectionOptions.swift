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
            valueName: "languages"),
        transform: TrackOptions.languages)
    var audio = StreamSelection.Languages.standard

    @Option(
        help: ArgumentHelp("The subtitles: languages, all or none. (default: all)", valueName: "languages"),
        transform: TrackOptions.languages)
    var subs = StreamSelection.Languages.all

    var selection: StreamSelection { StreamSelection(variants: variant, audio: audio, subtitles: subs) }
}
