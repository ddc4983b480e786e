import ArgumentParser

/// The options of commands that write a file.
struct ResultOptions: ParsableArguments {
    @Flag(help: "Replace an existing output file.")
    var force = false

    @Flag(name: .shortAndLong, help: "Don't show progress.")
    var quiet = false

    @Flag(help: "Print JSON.")
    var json = false
}
