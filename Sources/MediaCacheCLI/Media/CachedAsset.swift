import MediaCache
import MediaCacheAPI
import MediaCacheServer
import MediaLibrary

/// The cached data of an asset to export.
struct CachedAsset: Sendable {
    let url: ResourceURL
    /// The cached resource; nil for a downloaded stream, or if nothing is cached and the origin may be contacted.
    private let record: ResourceRecord?
    /// The asset of a downloaded stream, whose own playlists list the downloaded parts; nil for anything else.
    private let download: BundleRecord?
    private let client: APIClient

    /// - Parameter cachedOnly: Whether origins may not be contacted.
    /// - Throws: ``CommandFailure`` if the asset isn't cached, unless it's a URL and origins may be contacted; errors
    ///   from the API.
    init(_ asset: AssetArgument, cachedOnly: Bool, _ client: APIClient) async throws {
        self.client = client
        if cachedOnly, let download = try await Self.download(of: asset, client) {
            self.download = download
            record = nil
            url = try ResourceURL(download.url)
            return
        }
        download = nil
        switch asset {
        case .url(let url): record = try await client.resource(for: url)
        case .id(let id): record = try await client.resource(id: id)
        case .asset:
            let named = try await asset.find(in: try await client.assets(), noun: "asset", using: client)
            record = try await client.resource(for: try ResourceURL(named.url))
        }
        // Only the given URL contains the user information.
        if case .url(let url) = asset, record != nil || !cachedOnly {
            self.url = url
            return
        }
        guard let record else {
            throw CommandFailure(
                .failed,
                "\(asset.text) isn't cached; download it with `get`, or use --fetch to contact its origin")
        }
        url = try ResourceURL(record.url)
    }

    /// Returns the asset of a downloaded stream; nil for anything else.
    private static func download(of asset: AssetArgument, _ client: APIClient) async throws -> BundleRecord? {
        let name: String
        switch asset {
        // The URLs of assets don't contain user information.
        case .url(let url) where url.userInfo == nil: name = "\(url)"
        case .asset(let known): name = known
        case .url, .id: return nil
        }
        do {
            let record = try await client.bundle(ofAsset: name)
            let isEnded = record.state == nil || record.state == .complete || record.state == .completeWithHoles
            return isEnded && record.contents?.playlists.isEmpty == false ? record : nil
        } catch let problem as Problem where problem.status == 404 {
            return nil
        }
    }

    var input: MediaInput {
        guard let download, let entry = download.contents?.entry,
            let url = try? ResourceURL(client.libraryURL(ofAsset: download.id) + entry)
        else { return .url(url) }
        return .url(url)
    }

    /// Whether the asset is a downloaded stream, whose own playlists contain only the selected renditions.
    var isDownload: Bool { download != nil }

    var isStream: Bool { download != nil || record?.stream != nil }

    /// Checks that the asset is complete.
    func requireComplete() throws {
        if let download, download.holeCount > 0 {
            let (count, verb) = (download.holeCount.counted("part"), download.holeCount == 1 ? "is" : "are")
            throw CommandFailure(.failed, "\(count) of \(url) \(verb) missing; use --gaps to leave gaps")
        }
        guard let record else { return }
        if let stream = record.stream {
            guard !stream.playsWithoutOrigin else { return }
            throw CommandFailure(
                .failed,
                "\(url) isn't completely cached: \(stream.shortage); use --fetch to contact its origin, or --gaps to "
                    + "leave gaps")
        }
        guard !record.complete else { return }
        let holes = ResourceReport.holes(record)
        let shown = holes.prefix(3).map { "\($0.lowerBound)–\($0.upperBound)" }.joined(separator: ", ")
        let more = holes.count > 3 ? " and \(holes.count - 3) more ranges" : ""
        let reason = holes.isEmpty ? "its length is unknown" : "bytes \(shown)\(more) are missing"
        throw CommandFailure(.failed, "\(url) isn't completely cached: \(reason); use --fetch to contact its origin")
    }

    /// Returns whether a media playlist is cached with all its segments; true if that's unknown.
    func isComplete(playURL: String) -> Bool {
        guard let path = playURL.firstRange(of: "/play/").map({ playURL[$0.lowerBound...] }),
            let origin = try? PlayTarget(String(path)).url, let stream = record?.stream
        else { return true }
        return stream.playlists.first { $0.url == origin.description }?.isComplete ?? true
    }
}
