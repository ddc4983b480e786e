import ArgumentParser

/// The use of colors in output.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// On terminals that support colors, unless `NO_COLOR` is set.
    case auto
    /// Always, even in a pipe, such as to a pager.
    case always
    case never
}

/// The options for colored output.
struct ColorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use colors: auto means on a terminal, unless NO_COLOR is set or TERM is dumb.",
            valueName: "when"))
    var color = ColorChoice.auto

    var output: TextStyle { TextStyle(color, isTerminal: StandardStreams.outputIsTerminal) }
}
