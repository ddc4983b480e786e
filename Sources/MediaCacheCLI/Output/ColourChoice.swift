import ArgumentParser

/// When output is coloured.
enum ColourChoice: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// On a terminal that may have colours.
    case auto
    /// Whoever reads it: a pager, say.
    case always
    case never
}

/// Whether what a command prints for people has colours.
struct ColourOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Colour what is printed: auto is on a terminal, unless NO_COLOR is set or TERM is dumb.",
            valueName: "when"))
    var color = ColourChoice.auto

    /// The style of standard output.
    var output: TextStyle { TextStyle(color, isTerminal: StandardStreams.outputIsTerminal) }
}
