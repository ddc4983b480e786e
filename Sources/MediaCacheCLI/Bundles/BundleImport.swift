import Foundation
import MediaCache
import MediaCacheAPI
import MediaContainers
import MediaLibrary

/// Takes a folder of playlists and segments, or a file, into the cache. It's read here, and its bytes go to whoever owns the
/// cache through the API, which takes no paths.
struct BundleImport: Sendable {
    /// The folder, the playlist or the file.
    var path: String
    /// What to call the asset, where the folder doesn't say or should not be heeded.
    var title: String?
    /// Whether parts that the folder says it hasn't may be missing.
    var allowsGaps: Bool
    /// Whether it's kept under the URLs that the folder says it came from.
    var trustsURLs: Bool

    /// What was taken in.
    struct Result: Encodable, Sendable {
        /// The asset's name in URLs.
        var asset: String
        /// What it's called.
        var title: String?
        /// Where players find it.
        var libraryURL: String
        /// What a player is given.
        var entry: String
        /// How many parts were brought.
        var parts: Int
        /// How many bytes those are.
        var bytes: Int64
        /// Whether it was here before, complete.
        var wasHere: Bool
    }

    /// Does it.
    ///
    /// - Throws: `CacheError`, ``CommandFailure``, `Problem`.
    func run(_ client: APIClient) async throws -> Result {
        let folder = try BundleFolder(path: path)
        // No host is called that, so what is kept under it is never asked for.
        let origin = "http://\(UUID().uuidString.lowercased()).bundle.invalid/"
        let (contents, files) = try await folder.contents(origin: origin, trustsURLs: trustsURLs)
        let lost = folder.manifest?.lost
        let missing = contents.parts.count { files[$0.url] == nil } + max(0, lost ?? 0)
        if missing > 0, !allowsGaps {
            throw CommandFailure(
                .failed,
                "\(missing.counted("part")) of it \(missing == 1 ? "isn't" : "aren't") in “\(path)”; --gaps takes it in all the same"
            )
        }
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        let source = trustsURLs ? folder.manifest?.url : nil
        let begun = try await client.beginBundle(
            BundleImportRequest(
                title: title ?? folder.manifest?.title ?? name, url: source ?? origin + contents.entry,
                selection: folder.manifest?.selection, contents: contents, lost: lost))
        var result = Result(
            asset: begun.id, title: begun.title, libraryURL: begun.libraryURL, entry: contents.entry, parts: 0,
            bytes: 0, wasHere: begun.state == .complete)
        guard !result.wasHere else { return result }
        var seen: Set<String> = []
        for part in contents.parts where seen.insert(part.url).inserted {
            guard let file = files[part.url] else { continue }
            result.bytes += try await bring(file, as: part, to: begun.id, client)
            result.parts += 1
        }
        if let cover = try folder.cover() { _ = try await client.setCover(cover, of: begun.id) }
        _ = try await client.endBundle(begun.id, gaps: allowsGaps)
        return result
    }

    private func bring(
        _ path: String, as part: AssetPart, to asset: String, _ client: APIClient
    ) async throws -> Int64 {
        let source = try FileSource(path: path)
        guard source.length > 0 else { throw CommandFailure(.failed, "“\(path)” is empty") }
        var offset: Int64 = 0
        while offset < source.length {
            try Task.checkCancellation()
            let end = min(source.length, offset + Int64(APIClient.bundlePieceLength))
            let bytes = try source.bytes(offset..<end, limit: APIClient.bundlePieceLength)
            try await client.bring(bytes, at: offset, of: source.length, part: part.name, to: asset)
            offset = end
        }
        return source.length
    }
}
