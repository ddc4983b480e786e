import ArgumentParser
import MediaContainers

/// What becomes of a stream's subtitles.
struct SubtitleOptions: ParsableArguments {
    /// Where they are put.
    enum Place: String, ExpressibleByArgument, CaseIterable, Sendable {
        /// A WebVTT file beside the output for each language: what nearly every player shows.
        case sidecar
        /// Tracks of the output, which few players know.
        case embed
        /// Nowhere.
        case none
    }

    @Option(
        help: ArgumentHelp(
            "Subtitles: sidecar makes OUT.<language>.vtt, embed makes tracks of the MP4 (wvtt), none leaves them out.",
            valueName: "where"))
    var subtitles = Place.sidecar

    /// Checks that the output can hold them.
    func validate(output: String, encodes: Bool = false) throws {
        guard subtitles == .embed else { return }
        let kind = try? MediaFileKind(path: output)
        guard !encodes, kind?.kinds.contains(.text) == true else {
            throw ValidationError(
                "--subtitles embed is for .mp4 and .m4v that aren't encoded; sidecar fits any output.")
        }
    }
}
