import ArgumentParser

/// What is kept of what comes.
struct AdmissionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Don't keep what is larger than this; it passes through.", valueName: "size"),
        transform: ByteCount.init(parsing:))
    var maxObjectSize: ByteCount?

    /// What was given of the settings.
    var values: [Setting: String] { maxObjectSize.map { [.maxObjectSize: $0.exactText] } ?? [:] }

    /// The options given that only who opens the folder can heed.
    var given: [String] { Setting.options(of: values) }
}
