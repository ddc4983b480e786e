import MediaCacheAPI
import MediaLibrary

extension DownloadSettingsUpdate {
    /// What it says of which another update says nothing.
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

    /// The settings that it makes of others.
    ///
    /// - Throws: ``Problem`` for a number that can't be.
    func applied(to settings: DownloadSettings) throws -> DownloadSettings {
        var settings = settings
        try Bounds.check(limits?.assets, Bounds.concurrency, "assets")
        try Bounds.check(limits?.transfersPerAsset, Bounds.concurrency, "transfersPerAsset")
        try Bounds.check(bandwidth, Bounds.bytes, "bandwidth")
        try Bounds.check(policy?.freeSpaceReserve, Bounds.bytes, "freeSpaceReserve")
        settings.limits.assets = limits?.assets ?? settings.limits.assets
        settings.limits.transfersPerAsset = limits?.transfersPerAsset ?? settings.limits.transfersPerAsset
        if let bandwidth { settings.bandwidth = bandwidth == 0 ? nil : bandwidth }
        settings.policy.onlyUnmetered = policy?.onlyUnmetered ?? settings.policy.onlyUnmetered
        settings.policy.onlyCharging = policy?.onlyCharging ?? settings.policy.onlyCharging
        settings.policy.sparesPower = policy?.sparesPower ?? settings.policy.sparesPower
        settings.policy.freeSpaceReserve = policy?.freeSpaceReserve ?? settings.policy.freeSpaceReserve
        if let hours = policy?.hours {
            guard (0...1440).contains(hours.start), (0...1440).contains(hours.end) else {
                throw Problem.badRequest("hours are minutes after midnight, 0 to 1440")
            }
            settings.policy.hours = hours.start == hours.end ? nil : hours
        }
        return settings
    }
}
