internal import HTTPTypes
public import MediaLibrary

/// The limits and conditions of downloads, the response to `GET`, `PUT` and `PATCH /api/v1/settings/downloads`.
public struct DownloadSettings: Codable, Sendable, Hashable {
    /// The limits of concurrent downloads and transfers.
    public var limits: DownloadLimits
    /// The conditions under which downloads run.
    public var policy: DownloadPolicy
    /// The maximum bandwidth of all downloads together, in bytes per second; null means no limit.
    public var bandwidth: Int64?

    /// Creates settings.
    public init(
        limits: DownloadLimits = DownloadLimits(), policy: DownloadPolicy = DownloadPolicy(), bandwidth: Int64? = nil
    ) {
        self.limits = limits
        self.policy = policy
        self.bandwidth = bandwidth
    }
}

/// The body of `PATCH /api/v1/settings/downloads`, where null leaves a value unchanged, and of `PUT`, where null
/// restores the default.
public struct DownloadSettingsUpdate: Codable, Sendable, Hashable {
    /// The limits of concurrent downloads and transfers.
    public struct Limits: Codable, Sendable, Hashable {
        /// The maximum number of concurrent downloads, 1 to 1,000.
        public var assets: Int?
        /// The maximum number of concurrent transfers per download, 1 to 1,000.
        public var transfersPerAsset: Int?

        /// Creates an update.
        public init(assets: Int? = nil, transfersPerAsset: Int? = nil) {
            self.assets = assets
            self.transfersPerAsset = transfersPerAsset
        }
    }

    /// The conditions under which downloads run.
    public struct Policy: Codable, Sendable, Hashable {
        /// Whether downloads run only on unmetered networks.
        public var onlyUnmetered: Bool?
        /// Whether downloads run only while the device is charging.
        public var onlyCharging: Bool?
        /// Whether downloads wait while the device is in low power mode or hot.
        public var sparesPower: Bool?
        /// The hours in which downloads run, in minutes after midnight, local time. If start and end are equal,
        /// downloads run at any time.
        public var hours: DownloadPolicy.Hours?
        /// The number of bytes to leave free on the disk, in addition to the cache's own reserve.
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

    /// The limits of concurrent downloads and transfers.
    public var limits: Limits?
    /// The conditions under which downloads run.
    public var policy: Policy?
    /// The maximum bandwidth of all downloads together, in bytes per second; 0 means no limit.
    public var bandwidth: Int64?

    /// Creates an update.
    public init(limits: Limits? = nil, policy: Policy? = nil, bandwidth: Int64? = nil) {
        self.limits = limits
        self.policy = policy
        self.bandwidth = bandwidth
    }
}

extension APIClient {
    /// Returns the limits and conditions of downloads.
    public func downloadSettings() async throws -> DownloadSettings {
        try await call(.get, "/api/v1/settings/downloads")
    }

    /// Changes limits and conditions of downloads.
    @discardableResult
    public func updateDownloadSettings(_ update: DownloadSettingsUpdate) async throws -> DownloadSettings {
        try await call(.patch, "/api/v1/settings/downloads", content: try .json(update))
    }
}
