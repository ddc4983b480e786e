import ArgumentParser
import MediaLibrary

/// The options of admission to the cache.
struct AdmissionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Don't cache resources larger than this; they are passed through.", valueName: "size"),
        transform: ByteCount.init(parsing:))
    var maxObjectSize: ByteCount?

    /// The given settings.
    var values: [Setting: String] { maxObjectSize.map { [.maxObjectSize: $0.exactText] } ?? [:] }

    /// The given options that have effect only in the process that opens the folder.
    var given: [String] { Setting.options(of: values) }
}
