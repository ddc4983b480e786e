import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The import of a folder or a file through the API, which accepts bytes rather than paths.
struct BundleImport: Sendable {
    /// The path of the folder, the playlist or the file.
    var path: String
    /// The title of the asset; nil for the title in the bundle, or the file's name.
    var title: String?
    var allowsGaps: Bool
    /// Whether the parts are stored under the URLs in the bundle.
    var trustsURLs: Bool

    struct Result: Encodable, Sendable {
        /// The ID of the asset.
        var asset: String
        var title: String?
        var libraryURL: String
        /// The name of the playlist or file that players open.
        var entry: String
        var parts: Int
        var bytes: Int64
        /// Whether the asset was already complete before the import.
        var isAlreadyImported: Bool
    }

    func run(_ client: APIClient) async throws -> Result {
        let folder = try BundleFolder(path: path)
        // No host has this name, so the URLs are never requested.
        let origin = "http://\(UUID().uuidString.lowercased()).bundle.invalid/"
        let (contents, files) = try await folder.contents(origin: origin, trustsURLs: trustsURLs)
        let lost = folder.manifest?.lost
        let missing = contents.parts.count { files[$0.url] == nil } + max(0, lost ?? 0)
        if missing > 0, !allowsGaps {
            throw CommandFailure(
                .failed,
                "\(missing.counted("part")) \(missing == 1 ? "is" : "are") missing from “\(path)”; --gaps imports it anyway"
            )
        }
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        let source = trustsURLs ? folder.manifest?.url : nil
        let asset = try await client.beginBundle(
            BundleImportRequest(
                title: title ?? folder.manifest?.title ?? name, url: source ?? origin + contents.entry,
                selection: folder.manifest?.selection, contents: contents, lost: lost))
        var result = Result(
            asset: asset.id, title: asset.title, libraryURL: asset.libraryURL, entry: contents.entry, parts: 0,
            bytes: 0, isAlreadyImported: asset.state == .complete)
        guard !result.isAlreadyImported else { return result }
        var seen: Set<String> = []
        for part in contents.parts where seen.insert(part.url).inserted {
            guard let file = files[part.url] else { continue }
            result.bytes += try await upload(file, as: part.name, to: asset.id, client)
            result.parts += 1
        }
        if let cover = try folder.cover() { _ = try await client.setCover(cover, of: asset.id) }
        _ = try await client.endBundle(asset.id, gaps: allowsGaps)
        return result
    }

    private func upload(_ path: String, as part: String, to asset: String, _ client: APIClient) async throws -> Int64 {
        let reader = try MediaByteReader(path: path)
        guard reader.length > 0 else { throw CommandFailure(.failed, "“\(path)” is empty; replace or remove it") }
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
