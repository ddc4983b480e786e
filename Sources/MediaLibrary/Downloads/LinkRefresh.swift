internal import MediaCache

/// Fresh links of an asset's parts, where the old ones are over: signed URLs die in the middle of a download.
///
/// The playlists are asked for anew, once for all parts that need it; a part is found again by its name, which follows
/// from its place. What is kept of a part stays under the URL that it was first asked for by.
actor LinkRefresh {
    /// Links are asked for anew at most so often.
    private static let leastInterval = Duration.seconds(1)

    private let asset: Asset
    private let work: DownloadWork
    private let settings: TransferSettings
    private let onFresh: @Sendable ([AssetPart.Place: AssetPart]) async -> Void
    private var isLoading = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var last: (at: Duration, parts: [AssetPart.Place: AssetPart])?
    /// The parts as redundant copies name them, by the number of the copy.
    private var copies: [Int: [AssetPart.Place: AssetPart]] = [:]
    /// By every URL that a part has had: what tells it from the others.
    private var places: [String: AssetPart.Place] = [:]

    init(
        _ asset: Asset, work: DownloadWork, settings: TransferSettings,
        onFresh: @escaping @Sendable ([AssetPart.Place: AssetPart]) async -> Void
    ) {
        self.asset = asset
        self.work = work
        self.settings = settings
        self.onFresh = onFresh
    }

    /// Another URL for what `url` named; nil if there is none.
    func fresh(_ url: ResourceURL) async throws -> (url: ResourceURL, scope: AddressScope)? {
        if places.isEmpty, let contents = try await work.shelf.contents(of: asset.id) { note(contents) }
        guard let place = places[url.description] else { return nil }
        try await waitForTurn()
        let now = work.store.time.monotonic
        if let last, now - last.at < Self.leastInterval { return Self.url(of: place, in: last.parts, but: url) }
        defer { endTurn() }
        let parts = try await load(isFresh: true)
        last = (work.store.time.monotonic, parts)
        await onFresh(parts)
        return Self.url(of: place, in: parts, but: url)
    }

    /// Returns the parts as a redundant copy of the playlists names them.
    ///
    /// - Parameter copy: the number of the copy, counted from 0.
    func parts(ofCopy copy: Int) async throws -> [AssetPart.Place: AssetPart] {
        if places.isEmpty, let contents = try await work.shelf.contents(of: asset.id) { note(contents) }
        try await waitForTurn()
        if let known = copies[copy] { return known }
        defer { endTurn() }
        let parts = try await load(copy: copy)
        copies[copy] = parts
        return parts
    }

    /// Returns when no other request loads playlists. All callers belong to one run, and are cancelled with it.
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

    private func load(copy: Int = 0, isFresh: Bool = false) async throws -> [AssetPart.Place: AssetPart] {
        isLoading = true
        let source = try await work.refreshSource?(asset) ?? ResourceURL(asset.url)
        // The playlists' own links aren't this one's to mend.
        var settings = settings
        settings.refreshFromDocument = nil
        let contents = try await work.contents(
            of: source, selection: asset.download?.selection, settings, copy: copy, isFresh: isFresh)
        note(contents)
        return Dictionary(contents.parts.map { ($0.place, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private func note(_ contents: AssetContents) {
        for part in contents.parts { places[part.url] = part.place }
    }

    private static func url(of place: AssetPart.Place, in parts: [AssetPart.Place: AssetPart], but old: ResourceURL)
        -> (url: ResourceURL, scope: AddressScope)?
    {
        guard let part = parts[place], let url = try? ResourceURL(part.url), url != old else { return nil }
        return (url, part.scope ?? .publicOnly)
    }
}
