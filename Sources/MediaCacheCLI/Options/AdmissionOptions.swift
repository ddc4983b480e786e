import ArgumentParser
import MediaCache

/// What is kept of what comes.
struct AdmissionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Don't keep what is larger than this; it passes through.", valueName: "size"),
        transform: ByteCount.init(parsing:))
    var maxObjectSize: ByteCount?

    /// Which resources are kept.
    var policy: AdmissionPolicy {
        maxObjectSize.map { .maximumLength($0.bytes) } ?? .keepAll
    }

    /// The options given that only who opens the folder can heed.
    var given: [String] { maxObjectSize.map { _ in ["--max-object-size"] } ?? [] }
}
