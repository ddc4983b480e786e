internal import MediaCache

/// A source of new URLs for an asset's parts when signed links expire during a download. One load of the playlists
/// serves all such parts, which are matched by their position in the stream. Cached parts keep the cache key of their
/// first URL.
actor LinkRefresh {
    private static let minimumInterval = Duration.seconds(1)

    private let asset: Asset
    private let dependencies: DownloadDependencies
    private let settings: TransferSettings
    private let onFresh: @Sendable ([AssetPart.Identity: AssetPart]) async -> Void
    private var isLoading = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var last: (at: Duration, parts: [AssetPart.Identity: AssetPart])?
    /// The parts with the URLs of each redundant copy, by the number of the copy.
    private var copies: [Int: [AssetPart.Identity: AssetPart]] = [:]
    /// The positions of the parts by every URL they have had.
    private var identities: [String: AssetPart.Identity] = [:]

    init(
        _ asset: Asset, dependencies: DownloadDependencies, settings: TransferSettings,
        onFresh: @escaping @Sendable ([AssetPart.Identity: AssetPart]) async -> Void
    ) {
        self.asset = asset
        self.dependencies = dependencies
        self.settings = settings
        self.onFresh = onFresh
    }

    func refreshedURL(for url: ResourceURL) async throws -> (url: ResourceURL, scope: AddressScope)? {
        if identities.isEmpty, let contents = try await dependencies.assetStore.contents(of: asset.id) {
            note(contents)
        }
        guard let identity = identities[url.description] else { return nil }
        try await waitForTurn()
        let now = dependencies.store.time.monotonic
        if let last, now - last.at < Self.minimumInterval { return Self.url(of: identity, in: last.parts, but: url) }
        defer { endTurn() }
        let parts = try await load(isFresh: true)
        last = (dependencies.store.time.monotonic, parts)
        await onFresh(parts)
        return Self.url(of: identity, in: parts, but: url)
    }

    /// Returns the parts with the URLs of a redundant copy of the playlists, counted from 0.
    func parts(ofCopy copy: Int) async throws -> [AssetPart.Identity: AssetPart] {
        if identities.isEmpty, let contents = try await dependencies.assetStore.contents(of: asset.id) {
            note(contents)
        }
        try await waitForTurn()
        if let known = copies[copy] { return known }
        defer { endTurn() }
        let parts = try await load(copy: copy)
        copies[copy] = parts
        return parts
    }

    /// Waits until no other request is loading playlists. A cancelled caller stops waiting only when that load ends.
    private func waitForTurn() async throws {
        while isLoading {
            await withCheckedContinuation { waiting.append($0) }
            try Task.checkCancellation()
        }
    }

    private func endTurn() {
        isLoading = false
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    private func load(copy: Int = 0, isFresh: Bool = false) async throws -> [AssetPart.Identity: AssetPart] {
        isLoading = true
        let source = try await dependencies.refreshSource?(asset) ?? ResourceURL(asset.url)
        // This instance can't refresh the links of the playlists themselves.
        var settings = settings
        settings.refreshFromDocument = nil
        let contents = try await dependencies.contents(
            of: source, selection: asset.download?.selection, settings, copy: copy, isFresh: isFresh)
        note(contents)
        return Dictionary(contents.parts.map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private func note(_ contents: AssetContents) { for part in contents.parts { identities[part.url] = part.identity } }

    private static func url(
        of identity: AssetPart.Identity, in parts: [AssetPart.Identity: AssetPart], but old: ResourceURL
    ) -> (url: ResourceURL, scope: AddressScope)? {
        guard let part = parts[identity], let url = try? ResourceURL(part.url), url != old else { return nil }
        return (url, part.scope ?? .publicOnly)
    }
}
