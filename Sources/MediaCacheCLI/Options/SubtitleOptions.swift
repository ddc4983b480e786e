public import ArgumentParser
public import MediaLibrary

/// The placement of a stream's subtitles.
struct SubtitleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Subtitles: sidecar writes OUT.<language>.vtt, embed adds tracks to the MP4 (wvtt), none omits them.",
            valueName: "where"))
    var subtitles = SubtitlePlacement.sidecar

    /// Checks that the output can contain the subtitles.
    func validate(output: String, encodes: Bool = false) throws {
        guard subtitles == .embed else { return }
        let kind = try? MediaFileKind(path: output)
        guard !encodes, kind?.supportsSubtitles == true else {
            throw ValidationError(
                "--subtitles embed needs an .mp4 or .m4v output without --transcode; sidecar works with any output.")
        }
    }
}

extension SubtitlePlacement: ExpressibleByArgument {}
