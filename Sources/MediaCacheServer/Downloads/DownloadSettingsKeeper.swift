import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The settings of downloads, which last beyond the process: a small file beside the catalog.
actor DownloadSettingsKeeper {
    private static let fileName = "downloads.json"

    private let store: CacheStore
    /// What the store was opened with.
    private let scheduling: TransferScheduler.Limits
    private let bandwidth: Int64?
    private let folder: SideFolder
    private let downloads: Downloads
    /// What this process goes by, whatever the file says, until somebody sets something else.
    private var overriding: DownloadSettingsUpdate?
    /// What the file says.
    private var kept = DownloadSettings()
    /// What this process goes by.
    private(set) var settings = DownloadSettings()
    /// Whether a change is on its way into the file; the next waits, so that none is lost.
    private var isChanging = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter overriding: what this process goes by, whatever was set before.
    init(store: CacheStore, downloads: Downloads, overriding: DownloadSettingsUpdate?) {
        self.store = store
        scheduling = store.schedulingLimits
        bandwidth = store.bandwidth.classes[.download]
        folder = store.sideFolder("settings")
        self.downloads = downloads
        self.overriding = overriding
    }

    /// Takes up what was set before.
    ///
    /// - Throws: `CacheError` with `storage`; ``Problem`` for a number that can't be.
    func load() async throws {
        // What can't be read is another version's.
        if let bytes = try await folder.contents(of: Self.fileName),
            let read = try? JSONDecoder().decode(DownloadSettings.self, from: Data(bytes))
        {
            kept = read
        }
        settings = try overriding?.applied(to: kept) ?? kept
        await apply()
    }

    /// Changes what is set, for later processes too. What only this process goes by stays its own, but for what the
    /// update names.
    ///
    /// - Parameter isWhole: whether what the update doesn't name is as in a new cache.
    /// - Throws: ``Problem`` for a number that can't be; `CacheError` with `storage`.
    func change(_ update: DownloadSettingsUpdate, isWhole: Bool) async throws {
        await begin()
        defer { end() }
        let changed = try update.applied(to: isWhole ? DownloadSettings() : kept)
        let own = isWhole ? nil : overriding?.without(update)
        let used = try own?.applied(to: changed) ?? changed
        try await folder.write(Array(try JSONEncoder().encode(changed)), to: Self.fileName)
        (kept, overriding, settings) = (changed, own, used)
        await apply()
    }

    private func begin() async {
        if isChanging { return await withCheckedContinuation { waiting.append($0) } }
        isChanging = true
    }

    private func end() {
        if waiting.isEmpty { isChanging = false } else { waiting.removeFirst().resume() }
    }

    private func apply() async {
        // An asset's transfers mostly go to one host: a limit that lets fewer run would be none of the person's.
        store.schedulingLimits.perHost = max(scheduling.perHost, settings.limits.transfersPerAsset)
        store.schedulingLimits.total = max(scheduling.total, settings.limits.transfersPerAsset)
        store.bandwidth.classes[.download] = settings.bandwidth ?? bandwidth
        await downloads.setLimits(settings.limits)
        await downloads.setPolicy(settings.policy)
    }
}
