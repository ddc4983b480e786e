import ArgumentParser
import MediaCacheAPI

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

    /// What was given of the settings.
    var values: [Setting: String] {
        var values: [Setting: String] = [:]
        values[.jobs] = jobs.map(String.init)
        values[.transfers] = transfers.map(String.init)
        values[.limitRate] = limitRate.map { ByteCount($0.bytesPerSecond).exactText + "/s" }
        return values
    }

    /// The options that were given.
    var given: [String] { Setting.options(of: values) }
}

extension DownloadSettingsUpdate {
    /// What settings say over what is set for the folder; nil if that is nothing.
    ///
    /// - Throws: ``CommandFailure``, naming who says what is wrong.
    init?(_ settings: Settings) throws {
        let jobs = try settings.number(.jobs, in: 1...(.max))
        let transfers = try settings.number(.transfers, in: 1...(.max))
        let rate = try settings.read(.limitRate, ByteRate.init(parsing:))
        guard jobs != nil || transfers != nil || rate != nil else { return nil }
        self.init(limits: .init(assets: jobs, transfersPerAsset: transfers), bandwidth: rate?.bytesPerSecond)
    }
}
