import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The export of a download: a file is exported unchanged, a stream as one file.
struct GetExport: Sendable {
    /// The value of `-o`.
    var output: String
    /// Whether an output without fields is a folder because there are several downloads.
    var isFolder: Bool
    var overwrites: Bool
    var selection: StreamSelection

    /// Checks that the outputs can be written and that they differ, and creates their folders. Called before the
    /// downloads, so only the URLs determine the formats and the titles.
    func check(_ urls: [ResourceURL]) throws {
        // Paths with IDs are known, and checked, only after the downloads. They differ, since the IDs do.
        if try OutputTemplate(parsing: output)?.hasID == true { return }
        var outputs: [String: ResourceURL] = [:]
        for (index, url) in urls.enumerated() {
            let path = try path(for: url, index, record: nil, isStream: Self.isStream(url))
            if Self.isStream(url) { _ = try MediaFileKind(path: path) }
            let target = OutputTarget(path: path, overwrites: overwrites)
            try target.makeFolders()
            try target.check()
            // With --force, a repeated URL replaces its own output.
            guard let other = outputs.updateValue(url, forKey: path), other != url || !overwrites else { continue }
            throw CommandFailure(
                .usage, "\(other) and \(url) would both be exported to “\(path)”; use separate commands")
        }
    }

    /// - Parameter index: The position of the URL in the command, from 0.
    func run(
        _ outcome: inout GetOutcome, of url: ResourceURL, _ index: Int, through connection: Connection
    ) async throws {
        let isStream = outcome.record?.kind == .stream
        let path = try path(for: url, index, record: outcome.record, isStream: isStream)
        let target = OutputTarget(path: path, overwrites: overwrites)
        // The title of the download may name another folder than the URL.
        try target.makeFolders()
        guard isStream else {
            guard let source = outcome.resource?.localFile else {
                throw CommandFailure(
                    .partial,
                    "\(url) was downloaded, but its file isn't accessible; nothing was written to “\(path)”")
            }
            let copy = FileCopy(of: source, to: target)
            outcome.method = try await BlockingOperation.run { try copy.make() }
            outcome.output = path
            return
        }
        var job = RemuxJob(inputs: [], output: target)
        job.choice = StreamChoice(downloaded: selection)
        job.leavesGaps = outcome.record?.state == .completeWithHoles
        job.subtitles = .sidecar
        job.onNote = StandardStreams.printNote
        guard let cached = try await CachedAsset(.url(url), cachedOnly: true, client: connection.client) else {
            throw CommandFailure(.failed, "\(url) isn't cached; it was removed in the meantime")
        }
        // The playlists of a download contain only the selected audio.
        if cached.isDownload { job.choice.language = nil }
        job.setInput(cached)
        job.isAvailable = { cached.isComplete(playURL: $0) }
        var result = try await job.run(gateway: APIGateway(client: connection.client, cachedOnly: true))
        result.inputs = ["\(url)"]
        outcome.remux = result
        outcome.output = path
        if let shortfall = result.shortfall { throw shortfall }
    }

    private func path(
        for url: ResourceURL, _ index: Int, record: DownloadRecord?, isStream: Bool
    ) throws -> String {
        let title = record?.title ?? AssetTitle.title(for: url)
        if let template = try OutputTemplate(parsing: output) {
            let suffix = isStream ? "mp4" : url.pathExtension
            return template.path(
                .init(
                    title: title, suffix: suffix.isEmpty ? "bin" : suffix, id: record?.id ?? "id", host: url.host,
                    index: index + 1))
        }
        let folder = isFolder && !output.hasSuffix("/") ? output + "/" : output
        guard isStream else { return OutputPath.resolve(folder, for: url) }
        return OutputPath.resolve(folder, title: title, extension: "mp4")
    }

    private static func isStream(_ url: ResourceURL) -> Bool {
        MediaType.isPlaylist(pathExtension: url.pathExtension)
    }
}
