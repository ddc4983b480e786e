import ArgumentParser
import MediaCache
import MediaLibrary

/// The options that decide which resources are cached.
struct AdmissionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Pass larger resources through without caching them.", valueName: "size"),
        transform: ByteCount.init(parsing:))
    var maxObjectSize: ByteCount?

    @Option(
        help: ArgumentHelp(
            "Pass longer on-demand streams through without caching them.", valueName: "time"),
        transform: DurationText.parse)
    var maxDuration: Duration?

    var values: [Setting: String] {
        var values: [Setting: String] = [:]
        values[.maxObjectSize] = maxObjectSize?.exactText
        values[.maxDuration] = maxDuration.map(DurationText.exact)
        return values
    }

    var given: [String] { Setting.options(of: values) }
}
