import ArgumentParser
import Foundation

/// `mediacache config show`.
struct ConfigShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints the server's settings, their values and sources.",
        discussion: """
            EXAMPLES:
              mediacache config show
              mediacache config show --json | jq -r .settings.port.value
              mediacache config show --config new.json --port 80

            The command accepts the options of `serve`. Secrets are hidden: the values of header fields, and the password \
            of a proxy.

            OUTPUT:
            --json prints an object: file; settings, by name, each with value, source (option, environment, file, \
            stored, default) and place; channels (name, url, place); unknownVariables.
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: ServeOptions

    func run() async throws {
        let report = try ConfigurationReport(try options.configuration())
        try StandardStreams.print(json ? try JSONOutput.text(report) : report.text)
        for note in report.notes { StandardStreams.printError("mediacache: note: \(note)") }
    }
}
