public import MediaCache
public import MediaLibrary

/// The cached data of an asset, as the input of a `RemuxJob`.
public struct CachedAsset: Sendable {
    /// The URL at the origin. It contains user information only if the reference does.
    public let url: ResourceURL
    /// The cached resource; nil if `download` isn't nil, or if nothing is cached.
    private let record: ResourceRecord?
    /// The asset of a downloaded stream, whose own playlists list the downloaded parts, or of an imported file; nil for
    /// anything else, and if origins may be contacted.
    private let download: BundleRecord?
    private let client: APIClient

    /// Looks up an asset.
    ///
    /// - Parameter cachedOnly: Whether origins may not be contacted.
    /// - Returns: Nil if the asset isn't cached, unless it's a URL and origins may be contacted.
    /// - Throws: `MediaJobError` if no item or more than one matches the reference; ``Problem``, ``APIClientError`` or
    ///   `CancellationError`.
    public init?(_ asset: AssetReference, cachedOnly: Bool, client: APIClient) async throws {
        self.client = client
        let item = asset.url == nil ? try await client.item(asset) : nil
        let ended = cachedOnly ? try await Self.ended(asset, item, client) : nil
        if let ended, ended.contents?.playlists.isEmpty == false {
            download = ended
            record = nil
            url = try ResourceURL(ended.url)
            return
        }
        if let item, item.kind != .asset, item.kind != .channel, let id = Int64(item.id) {
            record = try await client.resource(id: id)
        } else {
            record = try await client.resource(for: try asset.url ?? ResourceURL(item?.url ?? ""))
        }
        // An imported file has no resource at its URL.
        download = record == nil ? ended : nil
        // Only the given URL contains the user information.
        if case .url(let url) = asset, record != nil || !cachedOnly {
            self.url = url
            return
        }
        guard let found = record?.url ?? download?.url else { return nil }
        url = try ResourceURL(found)
    }

    /// Returns an asset whose download, import or recording has ended; nil for anything else.
    private static func ended(
        _ asset: AssetReference, _ item: LibraryItem?, _ client: APIClient
    ) async throws -> BundleRecord? {
        let name: String
        switch asset {
        // The URLs of assets don't contain user information.
        case .url(let url) where url.userInfo == nil: name = "\(url)"
        case .url: return nil
        case .id, .asset:
            guard let item, item.kind == .asset else { return nil }
            name = item.id
        }
        do {
            let record = try await client.bundle(ofAsset: name)
            let isEnded = record.state == nil || record.state == .complete || record.state == .completeWithHoles
            return isEnded && record.contents != nil ? record : nil
        } catch let problem as Problem where problem.status == 404 {
            return nil
        }
    }

    fileprivate var input: MediaInput {
        guard let download, let entry = download.contents?.entry,
            let url = try? ResourceURL(client.libraryURL(ofAsset: download.id) + entry)
        else { return .url(url) }
        return .url(url)
    }

    /// Whether the asset is a downloaded stream, whose own playlists contain only the selected renditions; false if
    /// origins may be contacted.
    public var isDownload: Bool { download?.contents?.playlists.isEmpty == false }

    /// Whether the asset is a stream rather than a file.
    public var isStream: Bool { isDownload || record?.stream != nil }

    /// A description of the missing parts or bytes, as a clause; nil if nothing is missing, or if nothing is cached.
    public var shortage: String? {
        if let download {
            guard download.holeCount > 0 else { return nil }
            let verb = download.holeCount == 1 ? "is" : "are"
            return "\(download.holeCount.counted("part")) of \(url) \(verb) missing"
        }
        guard let record else { return nil }
        if let stream = record.stream {
            return stream.playsWithoutOrigin ? nil : "\(url) isn't completely cached: \(stream.shortage)"
        }
        guard !record.complete else { return nil }
        let holes = record.holes
        let shown = holes.prefix(3).map { "\($0.lowerBound)–\($0.upperBound)" }.joined(separator: ", ")
        let more = holes.count > 3 ? " and \(holes.count - 3) more ranges" : ""
        let reason = holes.isEmpty ? "its length is unknown" : "bytes \(shown)\(more) are missing"
        return "\(url) isn't completely cached: \(reason)"
    }

    /// Returns whether a media playlist of the stream is cached with all its segments; true if that's unknown.
    public func isComplete(playlist url: ResourceURL) -> Bool {
        record?.stream?.playlists.first { $0.url == url.description }?.isComplete ?? true
    }
}

extension RemuxJob {
    /// Sets the input to the cached data of an asset. The playlists of a download contain only its selected audio, so
    /// all of it is included unless a language is chosen.
    public mutating func setInput(_ asset: CachedAsset) {
        inputs = [asset.input]
        if asset.isDownload, choice.language == nil { choice.includesAllAudio = true }
    }
}
