import ArgumentParser

/// How a command that makes a file treats one that is there, and tells what it does.
struct ResultOptions: ParsableArguments {
    @Flag(help: "Replace the output file if it's there.")
    var force = false

    @Flag(name: .shortAndLong, help: "Show no progress.")
    var quiet = false

    @Flag(help: "Print JSON when done.")
    var json = false
}
