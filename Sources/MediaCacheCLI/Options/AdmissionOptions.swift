import ArgumentParser
import MediaCache

/// The options that decide which resources are cached.
struct AdmissionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Pass larger resources through without caching them.", valueName: "size"),
        transform: ByteCount.init(parsing:))
    var maxObjectSize: ByteCount?

    var values: [Setting: String] { maxObjectSize.map { [.maxObjectSize: $0.exactText] } ?? [:] }

    var given: [String] { Setting.options(of: values) }
}
