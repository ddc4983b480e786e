import MediaCache
import MediaCacheAPI
import MediaCacheServer
import MediaLibrary

/// The settings that change while a server is running.
struct SettingsReport: Encodable, Sendable {
    var cache: CacheSettings
    var downloads: DownloadSettings

    init(cache: CacheSettings, downloads: DownloadSettings) {
        self.cache = cache
        self.downloads = downloads
    }

    /// Creates the report of the settings that a server would use, without opening the cache folder.
    init(stored cache: CacheOptions) throws {
        let host = try HostSettings(try cache.settings(usesDefaults: true))
        try self.init(of: host, stored: StoredSettings(at: host.location))
    }

    /// Creates the report of the settings that a server with a configuration would use.
    init(of host: HostSettings, stored: StoredSettings) throws {
        (cache, downloads) = try stored.settings(of: host.storeConfiguration, server: host.serverConfiguration)
    }

    /// The values in the syntax of options. Lists have one item per line.
    var values: [Setting: String] {
        let (limits, transfers, policy) = (cache.limits, cache.transfers, downloads.policy)
        let rates: [(TransferClass, Int64?)] = [
            (.playback, cache.bandwidth.playback), (.recording, cache.bandwidth.recording),
            (.preload, cache.bandwidth.preload), (.background, cache.bandwidth.background),
        ]
        let classes = rates.compactMap { transferClass, rate in
            rate.map { ClassRate(transferClass, RateLimit(bytesPerSecond: $0)).text }
        }
        func time(_ seconds: Double) -> String { DurationText.exact(.seconds(seconds)) }
        return [
            .maxSize: limits.maximumBytes.map { ByteCount($0).exactText } ?? "none",
            .maxAge: limits.maximumAge.map(time) ?? "none",
            .minFree: ByteCount(limits.minimumFreeBytes).exactText,
            .jobs: "\(downloads.limits.assets)",
            .transfers: "\(downloads.limits.transfersPerAsset)",
            .limitRate: RateLimit(bytesPerSecond: downloads.bandwidth).text,
            .limitTotalRate: RateLimit(bytesPerSecond: cache.bandwidth.total).text,
            .limitClassRate: classes.isEmpty ? "none" : classes.joined(separator: "\n"),
            .hours: HoursArgument(policy.hours ?? .init(start: 0, end: 0)).text,
            .onlyUnmetered: "\(policy.onlyUnmetered)",
            .onlyCharging: "\(policy.onlyCharging)",
            .sparePower: "\(policy.sparesPower)",
            .downloadReserve: ByteCount(policy.freeSpaceReserve).exactText,
            .connectTimeout: time(transfers.connectTimeout),
            .responseTimeout: time(transfers.responseTimeout),
            .stallTimeout: time(transfers.stallTimeout),
            .retries: "\(transfers.retries)",
            .readAhead: ByteCount(transfers.readAhead).exactText,
        ]
    }

    private static let descriptions: KeyValuePairs<Setting, String> = [
        .maxSize: "maximum size of the cache",
        .maxAge: "eviction of data unused for this long",
        .minFree: "minimum free disk space",
        .jobs: "parallel downloads",
        .transfers: "parallel transfers per download",
        .limitRate: "rate of all downloads",
        .limitTotalRate: "rate of all transfers",
        .limitClassRate: "rates of classes of transfers",
        .hours: "hours in which downloads run",
        .onlyUnmetered: "downloads only on unmetered networks",
        .onlyCharging: "downloads only while charging",
        .sparePower: "no downloads in low power mode or if hot",
        .downloadReserve: "additional disk space that downloads leave free",
        .connectTimeout: "time limit for connecting",
        .responseTimeout: "time limit for the beginning of a response",
        .stallTimeout: "time limit for a pause within a response",
        .retries: "consecutive retries without progress",
        .readAhead: "read-ahead for a player",
    ]

    var text: String {
        var table = Table([.init("SETTING"), .init("VALUE"), .init("DESCRIPTION")])
        let values = values
        for (setting, description) in Self.descriptions {
            let items = (values[setting] ?? "").split(separator: "\n").map(String.init)
            for (index, item) in items.enumerated() {
                table.add(index == 0 ? [setting.rawValue, item, description] : ["", item])
            }
        }
        return table.rendered()
    }
}
