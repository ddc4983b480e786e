internal import HTTPTypes
public import MediaCache

/// The limits of the cache and of transfers from origins, the response to `GET` and `PATCH /api/v1/settings/cache`.
///
/// Changes apply at once. They are stored in the cache folder, so that they also apply after a restart, unless the
/// server's own configuration contains the setting.
public struct CacheSettings: Codable, Sendable, Hashable {
    /// The settings of requests to origins.
    public struct Transfers: Codable, Sendable, Hashable {
        /// The limit for connecting, in seconds.
        public var connectTimeout: Double
        /// The limit for the beginning of a response, in seconds.
        public var responseTimeout: Double
        /// The limit for a pause within a response, in seconds.
        public var stallTimeout: Double
        /// The maximum number of consecutive retries. Receiving at least 1 KiB resets the count.
        public var retries: Int
        /// The maximum number of bytes to request ahead of a player.
        public var readAhead: Int64

        /// Creates the record of a store's settings.
        public init(_ settings: TransferSettings) {
            connectTimeout = settings.limits.connect.seconds
            responseTimeout = settings.limits.firstByte.seconds
            stallTimeout = settings.limits.stall.seconds
            retries = settings.retries.budget
            readAhead = settings.readAhead.maximum
        }
    }

    /// The bandwidth limits in bytes per second; null means no limit. In an update, null leaves a limit unchanged, and
    /// 0 removes it. ``DownloadSettings`` contains the limit of downloads.
    public struct Bandwidth: Codable, Sendable, Hashable {
        /// The limit of all transfers. Playback has priority.
        public var total: Int64?
        /// The limit of playback.
        public var playback: Int64?
        /// The limit of recordings.
        public var recording: Int64?
        /// The limit of preloaded content.
        public var preload: Int64?
        /// The limit of background work, such as covers.
        public var background: Int64?

        /// Creates limits.
        public init(
            total: Int64? = nil, playback: Int64? = nil, recording: Int64? = nil, preload: Int64? = nil,
            background: Int64? = nil
        ) {
            self.total = total
            self.playback = playback
            self.recording = recording
            self.preload = preload
            self.background = background
        }

        /// Creates the record of a store's limits.
        public init(_ limits: BandwidthLimits) {
            total = limits.total
            playback = limits.classes[.playback]
            recording = limits.classes[.recording]
            preload = limits.classes[.preload]
            background = limits.classes[.background]
        }
    }

    /// The limits of the cache.
    public var limits: StorageRecord.Limits
    /// The settings of requests to origins.
    public var transfers: Transfers
    /// The bandwidth limits.
    public var bandwidth: Bandwidth

    /// Creates the record of a store's settings.
    public init(_ store: CacheStore) {
        limits = StorageRecord.Limits(store.limits)
        transfers = Transfers(store.transfers)
        bandwidth = Bandwidth(store.bandwidth)
    }

    /// Creates the record of a configuration's settings.
    public init(_ configuration: CacheConfiguration) {
        limits = StorageRecord.Limits(configuration.limits)
        transfers = Transfers(configuration.transfers)
        bandwidth = Bandwidth(configuration.bandwidth)
    }
}

/// The body of `PATCH /api/v1/settings/cache`, where null leaves a value unchanged.
public struct CacheSettingsUpdate: Codable, Sendable, Hashable {
    /// The limits of the cache.
    public struct Limits: Codable, Sendable, Hashable {
        /// The maximum size in bytes; 0 means no limit.
        public var maximumBytes: Int64?
        /// The number of seconds after which unread data is evicted; 0 means no limit.
        public var maximumAge: Double?
        /// The number of bytes to leave free on the disk.
        public var minimumFreeBytes: Int64?

        /// Creates an update.
        public init(maximumBytes: Int64? = nil, maximumAge: Double? = nil, minimumFreeBytes: Int64? = nil) {
            self.maximumBytes = maximumBytes
            self.maximumAge = maximumAge
            self.minimumFreeBytes = minimumFreeBytes
        }
    }

    /// The settings of requests to origins.
    public struct Transfers: Codable, Sendable, Hashable {
        /// The limit for connecting in seconds, 0.001 to 86,400.
        public var connectTimeout: Double?
        /// The limit for the beginning of a response in seconds, 0.001 to 86,400.
        public var responseTimeout: Double?
        /// The limit for a pause within a response in seconds, 0.001 to 86,400.
        public var stallTimeout: Double?
        /// The maximum number of consecutive retries, 0 to 100.
        public var retries: Int?
        /// The maximum number of bytes to request ahead of a player, at least 65,536.
        public var readAhead: Int64?

        /// Creates an update.
        public init(
            connectTimeout: Double? = nil, responseTimeout: Double? = nil, stallTimeout: Double? = nil,
            retries: Int? = nil, readAhead: Int64? = nil
        ) {
            self.connectTimeout = connectTimeout
            self.responseTimeout = responseTimeout
            self.stallTimeout = stallTimeout
            self.retries = retries
            self.readAhead = readAhead
        }
    }

    /// The limits of the cache.
    public var limits: Limits?
    /// The settings of requests to origins.
    public var transfers: Transfers?
    /// The bandwidth limits.
    public var bandwidth: CacheSettings.Bandwidth?

    /// Creates an update.
    public init(limits: Limits? = nil, transfers: Transfers? = nil, bandwidth: CacheSettings.Bandwidth? = nil) {
        self.limits = limits
        self.transfers = transfers
        self.bandwidth = bandwidth
    }
}

extension APIClient {
    /// Returns the limits of the cache and of transfers.
    public func cacheSettings() async throws -> CacheSettings { try await call(.get, "/api/v1/settings/cache") }

    /// Changes limits of the cache and of transfers. Content beyond lower limits is evicted before the call returns.
    @discardableResult
    public func updateCacheSettings(_ update: CacheSettingsUpdate) async throws -> CacheSettings {
        try await call(.patch, "/api/v1/settings/cache", content: try .json(update))
    }
}
