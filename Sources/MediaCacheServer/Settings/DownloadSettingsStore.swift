import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The store of download settings: the file `downloads.json` in the folder `settings` of a cache.
actor DownloadSettingsStore {
    static let fileName = "downloads.json"

    private let store: CacheStore
    /// The scheduling limits and bandwidth of the store's configuration.
    private let scheduling: TransferScheduler.Limits
    private let bandwidth: Int64?
    private let folder: SideFolder
    private let downloads: Downloads
    private var overriding: DownloadSettingsUpdate?
    private var stored = DownloadSettings()
    private(set) var current = DownloadSettings()
    /// Serializes changes, so that none is lost.
    private let changes = ConcurrencyLimit()

    /// - Parameter overriding: The settings of this process, which take precedence over the file until they change.
    init(store: CacheStore, downloads: Downloads, overriding: DownloadSettingsUpdate?) {
        self.store = store
        scheduling = store.schedulingLimits
        bandwidth = store.bandwidth.classes[.download]
        folder = store.sideFolder("settings")
        self.downloads = downloads
        self.overriding = overriding
    }

    /// Loads the stored settings, and applies them and the overriding ones.
    ///
    /// - Throws: `CacheError` with `storage`; ``Problem`` if a number of this process's settings is invalid.
    func load() async throws {
        stored = DownloadSettings(stored: try await folder.contents(of: Self.fileName))
        current = try overriding?.applied(to: stored) ?? stored
        await apply()
    }

    /// Changes the settings and stores them. Values in the update replace the overriding values of this process.
    ///
    /// - Parameter isReplacement: Whether values that the update omits are reset to their defaults.
    /// - Throws: ``Problem`` if a number is invalid; `CacheError` with `storage`.
    func change(_ update: DownloadSettingsUpdate, isReplacement: Bool) async throws {
        try await changes.runUncancelled {
            let changed = try update.applied(to: isReplacement ? DownloadSettings() : stored)
            let own = isReplacement ? nil : overriding?.without(update)
            let used = try own?.applied(to: changed) ?? changed
            try await folder.write(Array(try JSONEncoder().encode(changed)), to: Self.fileName)
            (stored, overriding, current) = (changed, own, used)
            await apply()
        }
    }

    /// Replaces the overriding settings of this process, and applies them. The stored settings don't change.
    ///
    /// - Throws: ``Problem`` if a number is invalid.
    func override(with settings: DownloadSettingsUpdate?) async throws {
        try await changes.runUncancelled {
            let used = try settings?.applied(to: stored) ?? stored
            (overriding, current) = (settings, used)
            await apply()
        }
    }

    private func apply() async {
        // Most transfers of an asset use one host, so a lower limit per host would override the user's setting.
        store.updateSchedulingLimits { limits in
            limits.perHost = max(scheduling.perHost, current.limits.transfersPerAsset)
            limits.total = max(scheduling.total, current.limits.transfersPerAsset)
        }
        store.updateBandwidth { $0.classes[.download] = current.bandwidth ?? bandwidth }
        await downloads.setLimits(current.limits)
        await downloads.setPolicy(current.policy)
    }
}

extension DownloadSettings {
    /// Decodes stored settings; the defaults for a file that doesn't exist or can't be decoded, such as one of another
    /// version.
    init(stored bytes: [UInt8]?) {
        self = bytes.flatMap { try? JSONDecoder().decode(Self.self, from: Data($0)) } ?? DownloadSettings()
    }
}

extension DownloadSettingsUpdate {
    func without(_ other: DownloadSettingsUpdate) -> DownloadSettingsUpdate {
        var rest = self
        if other.limits?.assets != nil { rest.limits?.assets = nil }
        if other.limits?.transfersPerAsset != nil { rest.limits?.transfersPerAsset = nil }
        if other.policy?.onlyUnmetered != nil { rest.policy?.onlyUnmetered = nil }
        if other.policy?.onlyCharging != nil { rest.policy?.onlyCharging = nil }
        if other.policy?.sparesPower != nil { rest.policy?.sparesPower = nil }
        if other.policy?.hours != nil { rest.policy?.hours = nil }
        if other.policy?.freeSpaceReserve != nil { rest.policy?.freeSpaceReserve = nil }
        if other.bandwidth != nil { rest.bandwidth = nil }
        return rest
    }

    /// Returns settings changed by the update.
    ///
    /// - Throws: ``Problem`` if a number is invalid.
    func applied(to settings: DownloadSettings) throws -> DownloadSettings {
        var settings = settings
        try Bounds.check(limits?.assets, Bounds.concurrency, "limits.assets")
        try Bounds.check(limits?.transfersPerAsset, Bounds.concurrency, "limits.transfersPerAsset")
        try Bounds.check(bandwidth, Bounds.bytes, "bandwidth")
        try Bounds.check(policy?.freeSpaceReserve, Bounds.bytes, "policy.freeSpaceReserve")
        settings.limits.assets = limits?.assets ?? settings.limits.assets
        settings.limits.transfersPerAsset = limits?.transfersPerAsset ?? settings.limits.transfersPerAsset
        if let bandwidth { settings.bandwidth = bandwidth == 0 ? nil : bandwidth }
        settings.policy.onlyUnmetered = policy?.onlyUnmetered ?? settings.policy.onlyUnmetered
        settings.policy.onlyCharging = policy?.onlyCharging ?? settings.policy.onlyCharging
        settings.policy.sparesPower = policy?.sparesPower ?? settings.policy.sparesPower
        settings.policy.freeSpaceReserve = policy?.freeSpaceReserve ?? settings.policy.freeSpaceReserve
        if let hours = policy?.hours {
            guard (0...1440).contains(hours.start), (0...1440).contains(hours.end) else {
                throw Problem.badRequest("start and end of policy.hours must be minutes after midnight, from 0 to 1440")
            }
            settings.policy.hours = hours.start == hours.end ? nil : hours
        }
        return settings
    }
}
