import ArgumentParser
import MediaCacheServer

/// How many downloads run at once, and how fast.
struct DownloadOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many assets are downloaded at once. (default: 3)", valueName: "count"))
    var jobs: Int?

    @Option(help: ArgumentHelp("How many transfers each of them has at once. (default: 6)", valueName: "count"))
    var transfers: Int?

    @Option(
        help: ArgumentHelp("Take at most so many bytes a second for all of them, such as 2MB.", valueName: "rate"),
        transform: ByteRate.init(parsing:))
    var limitRate: ByteRate?

    func validate() throws {
        if let number = [jobs, transfers].compactMap(\.self).first(where: { $0 < 1 }) {
            throw ValidationError("\(number) at once would never end; say at least 1.")
        }
    }

    /// What they set, over what is set for the folder.
    var update: DownloadSettingsUpdate? {
        guard !given.isEmpty else { return nil }
        return DownloadSettingsUpdate(
            limits: .init(assets: jobs, transfersPerAsset: transfers), bandwidth: limitRate?.bytesPerSecond)
    }

    /// The options that were given.
    var given: [String] {
        [
            jobs.map { _ in "--jobs" }, transfers.map { _ in "--transfers" }, limitRate.map { _ in "--limit-rate" },
        ]
        .compactMap(\.self)
    }
}
