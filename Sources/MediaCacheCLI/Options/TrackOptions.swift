import ArgumentParser
import MediaCacheAPI
import MediaLibrary

/// The variant streams and renditions to record.
struct TrackOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The variant: best, worst, all, a maximum height such as 720, or a maximum bandwidth such as 2500000. "
                + "(default: best)",
            valueName: "variant"),
        completion: .list(["best", "worst", "all", "1080", "720", "480", "360"]),
        transform: TrackOptions.variants)
    var variant: StreamSelection.Variants?

    @Option(
        help: ArgumentHelp("The audio: languages such as de,en; all; none. (default: all)", valueName: "languages"),
        transform: TrackOptions.languages)
    var audio: StreamSelection.Languages?

    @Option(
        name: [.customLong("subs"), .customLong("subtitles")],
        help: ArgumentHelp("The subtitles: languages, all or none. (default: all)", valueName: "languages"),
        transform: TrackOptions.languages)
    var subtitles: StreamSelection.Languages?

    static func variants(_ text: String) throws -> StreamSelection.Variants {
        if let variants = StreamSelection.Variants(text: text) { return variants }
        throw ArgumentTextError("“\(text)” is not a variant; use best, worst, all, a height or a bandwidth")
    }

    static func languages(_ text: String) throws -> StreamSelection.Languages {
        if let languages = StreamSelection.Languages(text: text) { return languages }
        throw ArgumentTextError("“\(text)” is not a list of languages; use de, de,en, all or none")
    }
}
