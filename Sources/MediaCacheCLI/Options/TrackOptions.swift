import ArgumentParser
import MediaCacheAPI
import MediaLibrary

/// Which variant streams and renditions of a stream are recorded.
struct TrackOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "best, worst, all, the tallest up to a height such as 720, or the best up to a bandwidth such as 2500000. "
                + "(default: best)",
            valueName: "variant"),
        completion: .list(["best", "worst", "all", "1080", "720", "480", "360"]),
        transform: TrackOptions.variants)
    var variant: StreamSelection.Variants?

    @Option(
        help: ArgumentHelp("The sound: languages such as de,en; all; none. (default: all)", valueName: "languages"),
        transform: TrackOptions.languages)
    var audio: StreamSelection.Languages?

    @Option(
        name: [.customLong("subs"), .customLong("subtitles")],
        help: ArgumentHelp("The subtitles: languages, all or none. (default: all)", valueName: "languages"),
        transform: TrackOptions.languages)
    var subtitles: StreamSelection.Languages?

    /// Reads which variant streams.
    ///
    /// - Throws: ``ArgumentTextError``.
    static func variants(_ text: String) throws -> StreamSelection.Variants {
        if let variants = StreamSelection.Variants(text: text) { return variants }
        throw ArgumentTextError("“\(text)” is no variant; use best, worst, all, a height or a bandwidth")
    }

    /// Reads which renditions.
    ///
    /// - Throws: ``ArgumentTextError``.
    static func languages(_ text: String) throws -> StreamSelection.Languages {
        if let languages = StreamSelection.Languages(text: text) { return languages }
        throw ArgumentTextError("“\(text)” names no languages; write de or de,en, or all, or none")
    }
}
