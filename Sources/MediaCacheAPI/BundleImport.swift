internal import Foundation
public import MediaCache
internal import MediaLibrary

/// A job that imports a folder of playlists and segments, or a media file, as an asset. It sends the bytes to the
/// server, which needn't be able to read the folder.
///
/// Unless ``trustsURLs`` or ``base`` is set, the parts are stored under URLs of a host that doesn't exist, so that an
/// unknown author can't replace the content of real URLs.
public struct BundleImport: Sendable {
    /// The path of the folder, the playlist or the file.
    public var path: String
    /// The title of the asset; nil for the title in the bundle or the media, or the file's name.
    public var title: String?
    /// Whether the folder is imported even if parts are missing.
    public var allowsGaps: Bool
    /// Whether the parts are stored under the URLs in the bundle. Its author can then replace the content of any URL
    /// for all clients of the cache.
    public var trustsURLs: Bool
    /// The URL against which the references of the playlists resolve. The parts are stored under the resulting URLs,
    /// which must be below the folder of `base`. Nil if the references are paths in the folder.
    public var base: ResourceURL?

    /// Creates a job.
    public init(
        path: String, title: String? = nil, allowsGaps: Bool = false, trustsURLs: Bool = false,
        base: ResourceURL? = nil
    ) {
        self.base = base
        self.path = path
        self.title = title
        self.allowsGaps = allowsGaps
        self.trustsURLs = trustsURLs
    }

    /// The result of a job.
    public struct Result: Encodable, Sendable {
        /// The ID of the asset.
        public var asset: String
        /// The title of the asset; nil if it has none.
        public var title: String?
        /// The URL to which the names of playlists and parts are appended.
        public var libraryURL: String
        /// The name of the playlist or file that players open.
        public var entry: String
        /// The number of imported parts.
        public var parts: Int
        /// The total size of the imported parts in bytes.
        public var bytes: Int64
        /// Whether the asset was already complete before the import.
        public var isAlreadyImported: Bool
        /// The names of the parts that have no file.
        public var missing: [String]
    }

    /// Imports the folder or the file.
    ///
    /// - Throws: `MediaJobError`, with `missingParts` unless gaps are allowed; the errors of `BundleFolder`;
    ///   ``Problem``, ``APIClientError`` or `CancellationError`.
    public func run(_ client: APIClient) async throws -> Result {
        let folder = try BundleFolder(path: path, base: base)
        // No host has this name, so the URLs are never requested.
        let origin = "http://\(UUID().uuidString.lowercased()).bundle.invalid/"
        let (contents, files) = try await folder.contents(
            origin: origin, trustsURLs: trustsURLs, allowsGaps: allowsGaps)
        let lost = folder.manifest?.lost
        var named: Set<String> = []
        let names = contents.parts.filter { files[$0.url] == nil }.map(\.name).filter { named.insert($0).inserted }
        let missing = names.count + max(0, lost ?? 0)
        if missing > 0, !allowsGaps {
            let verb = missing == 1 ? "is" : "are"
            throw MediaJobError(.missingParts, "\(missing.counted("part")) \(verb) missing from “\(path)”")
        }
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        // The entry of a folder with a base has the URL that players request.
        let entry = try base?.withoutUserInfo.resolve(".").resolve(folder.entryReference).description
        let source = entry ?? (trustsURLs ? folder.manifest?.url : nil)
        let asset = try await client.beginBundle(
            BundleImportRequest(
                title: title ?? folder.manifest?.title, defaultTitle: contents.playlistTitle ?? name,
                url: source ?? origin + contents.entry,
                selection: folder.manifest?.selection, contents: contents, lost: lost))
        var result = Result(
            asset: asset.id, title: asset.title, libraryURL: asset.libraryURL, entry: contents.entry, parts: 0,
            bytes: 0, isAlreadyImported: asset.state == .complete, missing: names)
        guard !result.isAlreadyImported else { return result }
        var seen: Set<String> = []
        for part in contents.parts where seen.insert(part.url).inserted {
            guard let file = files[part.url] else { continue }
            result.bytes += try await upload(file, as: part.name, to: asset.id, client)
            result.parts += 1
        }
        if let cover = try folder.cover() { _ = try await client.setCover(cover, of: asset.id) }
        result.title = try await client.endBundle(asset.id, gaps: allowsGaps).title
        return result
    }

    private func upload(_ path: String, as part: String, to asset: String, _ client: APIClient) async throws -> Int64 {
        let reader = try MediaByteReader(path: path)
        guard reader.length > 0 else { throw MediaJobError(.failed, "“\(path)” is empty; replace or remove it") }
        var offset: Int64 = 0
        while offset < reader.length {
            try Task.checkCancellation()
            let end = min(reader.length, offset + Int64(APIClient.bundlePieceLength))
            let bytes = try reader.bytes(offset..<end)
            try await client.uploadPart(bytes, at: offset, of: reader.length, part: part, to: asset)
            offset = end
        }
        return reader.length
    }
}
