public import MediaLibrary

/// The body of `PATCH /api/v1/settings/downloads`, where what is null stays as it is, and of `PUT`, where it's as in a new
/// cache.
public struct DownloadSettingsUpdate: Codable, Sendable, Hashable {
    /// How many run at once.
    public struct Limits: Codable, Sendable, Hashable {
        /// Assets at once, 1 to 1,000.
        public var assets: Int?
        /// Transfers of each asset at once, 1 to 1,000.
        public var transfersPerAsset: Int?

        /// Creates an update.
        public init(assets: Int? = nil, transfersPerAsset: Int? = nil) {
            self.assets = assets
            self.transfersPerAsset = transfersPerAsset
        }
    }

    /// Under which conditions they run.
    public struct Policy: Codable, Sendable, Hashable {
        /// Whether only over a network whose bytes don't cost.
        public var onlyUnmetered: Bool?
        /// Whether only while power comes from outside.
        public var onlyCharging: Bool?
        /// Whether not while the user saves power, nor while the device is hot.
        public var sparesPower: Bool?
        /// Only at these hours, in minutes after midnight by the local clock; a start that is the end means any.
        public var hours: DownloadPolicy.Hours?
        /// Bytes to leave free on the disk, over the cache's own reserve.
        public var freeSpaceReserve: Int64?

        /// Creates an update.
        public init(
            onlyUnmetered: Bool? = nil, onlyCharging: Bool? = nil, sparesPower: Bool? = nil,
            hours: DownloadPolicy.Hours? = nil, freeSpaceReserve: Int64? = nil
        ) {
            self.onlyUnmetered = onlyUnmetered
            self.onlyCharging = onlyCharging
            self.sparesPower = sparesPower
            self.hours = hours
            self.freeSpaceReserve = freeSpaceReserve
        }
    }

    /// How many run at once.
    public var limits: Limits?
    /// Under which conditions they run.
    public var policy: Policy?
    /// Bytes a second that they may take in all; 0 for no limit.
    public var bandwidth: Int64?

    /// Creates an update.
    public init(limits: Limits? = nil, policy: Policy? = nil, bandwidth: Int64? = nil) {
        self.limits = limits
        self.policy = policy
        self.bandwidth = bandwidth
    }

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
