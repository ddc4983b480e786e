import ArgumentParser
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The options of the download queue.
struct DownloadOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The number of parallel downloads. (default: 3)", valueName: "count"))
    var jobs: Int?

    @Option(help: ArgumentHelp("The number of parallel transfers per download. (default: 6)", valueName: "count"))
    var transfers: Int?

    @Option(
        help: ArgumentHelp(
            "The maximum rate of all downloads, such as 2MB/s; “none” for no limit.", valueName: "rate"),
        transform: RateLimit.init(parsing:))
    var limitRate: RateLimit?

    /// The range of ``jobs`` and ``transfers``, as in the API.
    static let concurrency = 1...1000

    func validate() throws {
        let range = Self.concurrency
        if let number = [jobs, transfers].compactMap(\.self).first(where: { !range.contains($0) }) {
            throw ValidationError(
                "--jobs and --transfers must be from \(range.lowerBound) to \(range.upperBound), not \(number).")
        }
    }

    var values: [Setting: String] {
        var values: [Setting: String] = [:]
        values[.jobs] = jobs.map(String.init)
        values[.transfers] = transfers.map(String.init)
        values[.limitRate] = limitRate?.text
        return values
    }

    var given: [String] { Setting.options(of: values) }
}

extension DownloadSettingsUpdate {
    init?(_ settings: Settings) throws {
        let jobs = try settings.number(.jobs, in: DownloadOptions.concurrency)
        let transfers = try settings.number(.transfers, in: DownloadOptions.concurrency)
        let policy = Policy(
            onlyUnmetered: try settings.flag(.onlyUnmetered), onlyCharging: try settings.flag(.onlyCharging),
            sparesPower: try settings.flag(.sparePower),
            hours: try settings.read(.hours, HoursArgument.init(parsing:))?.hours,
            freeSpaceReserve: try settings.read(.downloadReserve, ByteCount.init(parsing:))?.bytes)
        self.init(
            limits: jobs == nil && transfers == nil ? nil : .init(assets: jobs, transfersPerAsset: transfers),
            policy: policy == Policy() ? nil : policy, bandwidth: try settings.rate(.limitRate))
        if self == DownloadSettingsUpdate() { return nil }
    }
}
