import HLS
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// Puts what was kept where a person wants it: a file's bytes as they are, a stream as one file.
struct GetExport: Sendable {
    /// What `-o` named.
    var output: String
    /// Whether it's a folder, since there are several.
    var isFolder: Bool
    /// Whether a file may be replaced.
    var overwrites: Bool
    /// What was downloaded of streams.
    var selection: StreamSelection

    /// Whether something could be put there, as far as a URL tells: before an hour of fetching, not after it.
    ///
    /// - Throws: ``CommandFailure``, saying what is in the way.
    func check(_ url: ResourceURL) throws {
        let path = path(for: url, title: nil, isStream: Self.isStream(url))
        if Self.isStream(url) { _ = try MediaFileKind(path: path) }
        try OutputTarget(path: path, overwrites: overwrites).check()
    }

    /// Does it.
    ///
    /// - Throws: ``CommandFailure`` and what the cache's owner answers.
    func run(_ outcome: inout GetOutcome, of url: ResourceURL, through connection: Connection) async throws {
        guard outcome.record?.kind == .stream else {
            let path = path(for: url, title: nil, isStream: false)
            guard let source = outcome.resource?.localFile else {
                throw CommandFailure(
                    .partial,
                    "\(url) is kept, but the cache's owner gives no file to copy; nothing was put at “\(path)”")
            }
            let export = FileExport(source: source, target: path, overwrites: overwrites)
            outcome.method = try await BlockingWork.run { try export.run() }
            outcome.output = path
            return
        }
        let path = path(for: url, title: outcome.record?.title, isStream: true)
        let target = OutputTarget(path: path, overwrites: overwrites)
        let (choice, leavesGaps) = (choice, outcome.record?.state == .completeWithHoles)
        outcome.remux = try await BlockingWork.run { control in
            let opening = InputOpening(connection: connection, control: control, isKeptOnly: true)
            let kept = try KeptAsset(.url(url), opening)
            var choice = choice
            // Its own playlists name what was chosen.
            if kept.isDownload { (choice.language, choice.takesAllAudio) = (nil, true) }
            var result = try RemuxJob(
                inputs: [kept.input], choice: choice, leavesGaps: leavesGaps, target: target, subtitles: .sidecar,
                isAvailable: { kept.isWhole(playURL: $0) }
            ).run(opening)
            result.inputs = ["\(url)"]
            return result
        }
        outcome.output = path
        if let shortfall = outcome.remux?.shortfall { throw shortfall }
    }

    private func path(for url: ResourceURL, title: String?, isStream: Bool) -> String {
        let folder = isFolder && !output.hasSuffix("/") ? output + "/" : output
        guard isStream else { return OutputPath.resolve(folder, for: url) }
        return OutputPath.resolve(folder, title: title ?? OutputPath.fileName(for: url), extension: "mp4")
    }

    /// What the URL alone tells.
    private static func isStream(_ url: ResourceURL) -> Bool {
        MediaType.isPlaylist(pathExtension: url.pathExtension)
    }

    private var choice: StreamChoice {
        var variants: [VariantSelection] = []
        switch selection.variants {
        case .worst: variants = [.lowest]
        case .height(let height): variants = [.height(atMost: height)]
        case .bandwidth(let bandwidth): variants = [.bandwidth(atMost: bandwidth)]
        case .best, .all: break
        }
        var language: String?
        var takesAllAudio = selection.audio == .all
        if case .some(let languages) = selection.audio {
            // No others are kept.
            takesAllAudio = languages.count > 1
            if !takesAllAudio { language = languages.first }
        }
        return StreamChoice(variants: variants, language: language, takesAllAudio: takesAllAudio)
    }
}
