import ArgumentParser
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The options for the time limits, retries, read-ahead and rates of transfers, which can change while a server is
/// running.
struct TransferOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The time limit for connecting to an origin. (default: 10s)", valueName: "time"),
        transform: DurationText.parse)
    var connectTimeout: Duration?

    @Option(
        help: ArgumentHelp("The time limit for the beginning of a response. (default: 20s)", valueName: "time"),
        transform: DurationText.parse)
    var responseTimeout: Duration?

    @Option(
        help: ArgumentHelp("The time limit for a pause within a response. (default: 15s)", valueName: "time"),
        transform: DurationText.parse)
    var stallTimeout: Duration?

    @Option(
        help: ArgumentHelp(
            "The maximum number of consecutive retries without progress. (default: 4)", valueName: "count"))
    var retries: Int?

    @Option(
        help: ArgumentHelp(
            "The maximum read-ahead for a player, at least 64KiB. (default: 8MiB)", valueName: "size"),
        transform: ByteCount.init(parsing:))
    var readAhead: ByteCount?

    @Option(
        help: ArgumentHelp(
            "The maximum rate of all transfers, such as 10MB/s; “none” for no limit. Playback has priority.",
            valueName: "rate"),
        transform: RateLimit.init(parsing:))
    var limitTotalRate: RateLimit?

    @Option(
        help: ArgumentHelp(
            "The maximum rate of a class of transfers: 'recording=2MB/s'. Repeatable.",
            discussion:
                "The classes are playback, recording, preload (content that plays next) and background (such as "
                + "covers). --limit-rate limits downloads.",
            valueName: "class=rate"),
        transform: ClassRate.init(parsing:))
    var limitClassRate: [ClassRate] = []

    var values: [Setting: String] {
        var values: [Setting: String] = [:]
        values[.connectTimeout] = connectTimeout.map(DurationText.exact)
        values[.responseTimeout] = responseTimeout.map(DurationText.exact)
        values[.stallTimeout] = stallTimeout.map(DurationText.exact)
        values[.retries] = retries.map(String.init)
        values[.readAhead] = readAhead?.exactText
        values[.limitTotalRate] = limitTotalRate?.text
        if !limitClassRate.isEmpty { values[.limitClassRate] = limitClassRate.map(\.text).joined(separator: "\n") }
        return values
    }
}

extension CacheSettingsUpdate {
    /// Creates the update that sets the given values, except defaults; nil if there are none.
    ///
    /// - Throws: ``CommandFailure`` with the place of an invalid value.
    init?(_ settings: Settings) throws {
        let given = settings.withoutDefaults
        let seconds = { (setting: Setting) in try given.timeLimit(setting).map { $0 / .seconds(1) } }
        var limits = Limits()
        if let size = try given.read(.maxSize, SizeLimit.init(parsing:)) { limits.set(maximumBytes: size.bytes) }
        if let age = try given.read(.maxAge, AgeLimit.init(parsing:)) { limits.set(maximumAge: age.duration) }
        limits.minimumFreeBytes = try given.read(.minFree, ByteCount.init(parsing:))?.bytes
        let transfers = Transfers(
            connectTimeout: try seconds(.connectTimeout), responseTimeout: try seconds(.responseTimeout),
            stallTimeout: try seconds(.stallTimeout), retries: try given.number(.retries, in: 0...100),
            readAhead: try given.readAhead)
        var bandwidth = CacheSettings.Bandwidth(total: try given.rate(.limitTotalRate))
        for limit in try given.list(.limitClassRate, ClassRate.init(parsing:)) {
            let rate = limit.rate.bytesPerSecond ?? 0
            switch limit.transferClass {
            case .playback: bandwidth.playback = rate
            case .recording: bandwidth.recording = rate
            case .preload: bandwidth.preload = rate
            default: bandwidth.background = rate
            }
        }
        self.init(
            limits: limits == Limits() ? nil : limits, transfers: transfers == Transfers() ? nil : transfers,
            bandwidth: bandwidth == CacheSettings.Bandwidth() ? nil : bandwidth)
        if self == CacheSettingsUpdate() { return nil }
    }
}

extension CacheSettingsUpdate.Limits {
    /// Sets the size; nil for no limit. In an update 0 means no limit, so a limit of 0 bytes becomes one of 1 byte.
    mutating func set(maximumBytes: Int64?) { self.maximumBytes = maximumBytes.map { max(1, $0) } ?? 0 }

    /// Sets the age; nil for no limit. In an update 0 means no limit, so a limit of 0 becomes one of a millisecond.
    mutating func set(maximumAge: Duration?) {
        self.maximumAge = maximumAge.map { max(0.001, $0 / .seconds(1)) } ?? 0
    }
}

extension Settings {
    /// Returns the duration of a time limit, which is more than 0 and at most a day; nil without a value.
    func timeLimit(_ setting: Setting) throws -> Duration? {
        try read(setting) { text in
            let duration = try DurationText.parse(text)
            guard duration > .zero else { throw ArgumentTextError("the time limit must be greater than 0") }
            // The bound of the API, which stores the limit.
            guard duration <= .seconds(86_400) else { throw ArgumentTextError("“\(text)” is more than a day") }
            return duration
        }
    }

    /// The maximum read-ahead in bytes; nil without a value.
    var readAhead: Int64? {
        get throws {
            try read(.readAhead) { text in
                let size = try ByteCount(parsing: text).bytes
                guard size >= 64 << 10 else { throw ArgumentTextError("“\(text)” is less than 64KiB") }
                return size
            }
        }
    }

    /// Returns a rate in bytes per second, 0 for none; nil without a value.
    func rate(_ setting: Setting) throws -> Int64? {
        try read(setting, RateLimit.init(parsing:)).map { $0.bytesPerSecond ?? 0 }
    }
}
