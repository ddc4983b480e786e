import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The check of a URL before its download: whether the stream has the requested languages, and whether it can be
/// exported.
struct GetPreparation: Sendable {
    var url: ResourceURL
    var selection: StreamSelection
    /// The languages that must not be absent.
    var requiredAudio: [String]
    var requiredSubtitles: [String]
    /// Whether the download is exported as a file.
    var exports: Bool

    /// The result of the check.
    struct Result: Sendable, Hashable {
        /// The selected variant streams and languages; nil for a file, or if they are unknown.
        var line: String?
        /// The reason not to begin the download.
        var failure: CommandFailure?
    }

    private var requiresLanguages: Bool { !requiredAudio.isEmpty || !requiredSubtitles.isEmpty }

    /// Probes the URL. Files have nothing to check, so only URLs of playlists are probed unless languages are required.
    ///
    /// - Parameter headers: Header fields for the URL's origin.
    func run(_ client: APIClient, headers: [String: String]?) async throws -> Result {
        guard requiresLanguages || MediaType.isPlaylist(pathExtension: url.pathExtension) else { return Result() }
        do {
            return result(of: try await client.probe(url, headers: headers, selection: selection))
        } catch let problem as Problem {
            if problem.code == CacheError.Code.closed.rawValue { throw OwnerEnded() }
            // The download itself waits for the origin and reports errors.
            return Result(failure: requiresLanguages ? CommandFailure(problem) : nil)
        }
    }

    func result(of record: ProbeRecord) -> Result {
        let probe = record.probe
        let audio = probe.absentAudio(among: requiredAudio)
        let subtitles = probe.absentSubtitles(among: requiredSubtitles)
        if !audio.isEmpty { return Result(failure: absence(of: audio, "audio", "--audio", probe.audio)) }
        if !subtitles.isEmpty {
            return Result(failure: absence(of: subtitles, "subtitles", "--subs", probe.subtitles))
        }
        if exports, let obstacle = probe.exportObstacle {
            return Result(
                failure: CommandFailure(
                    .failed, "\(url) can't be exported as a file: it's \(obstacle); nothing was downloaded"))
        }
        return Result(line: probe.selected.map { Self.line(record.title ?? "\(url)", $0) })
    }

    private func absence(
        of languages: [String], _ noun: String, _ option: String, _ renditions: [MediaProbe.Rendition]
    ) -> CommandFailure {
        let available = Self.names(renditions).joined(separator: ", ")
        let list = available.isEmpty ? "there are none" : "available: \(available)"
        return CommandFailure(
            .failed,
            "\(url) has no \(noun) in \(languages.joined(separator: ", ")); \(list). "
                + "Use \(option) '\(languages[0])?' to accept another")
    }

    static func line(_ title: String, _ selected: MediaProbe.Selected) -> String {
        var parts: [String] = []
        if selected.variants.count == 1 {
            parts.append(FormatReport.text(selected.variants[0]))
        } else {
            parts.append(selected.variants.count.counted("variant"))
        }
        for (noun, languages) in [("audio", names(selected.audio)), ("subtitles", names(selected.subtitles))]
        where !languages.isEmpty {
            parts.append("\(noun) \(languages.joined(separator: ", "))")
        }
        return Table.printable("\(title): \(parts.joined(separator: "; "))")
    }

    private static func names(_ renditions: [MediaProbe.Rendition]) -> [String] {
        var known: Set<String> = []
        return renditions.map { $0.language ?? $0.name }.filter { known.insert($0).inserted }
    }
}
