import ArgumentParser

/// The use of colours in output.
enum ColourChoice: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// On terminals that support colours.
    case auto
    /// Always, even in a pipe, such as to a pager.
    case always
    /// Never.
    case never
}

/// The options for coloured output.
struct ColourOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use colours: auto means on a terminal, unless NO_COLOR is set or TERM is dumb.",
            valueName: "when"))
    var color = ColourChoice.auto

    /// The style of standard output.
    var output: TextStyle { TextStyle(color, isTerminal: StandardStreams.outputIsTerminal) }
}
