import ArgumentParser
import Foundation

/// `mediacache config path`.
struct ConfigPathCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Prints the path of the configuration file.",
        discussion: """
            EXAMPLES:
              ${EDITOR:-vi} "$(mediacache config path)"

            If no file exists, the preferred path is printed, and the exit code is 1.
            """
    )

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let found = ConfigurationPath.path(option: nil, environment: environment)
        try StandardStreams.print(found ?? ConfigurationPath.defaults(environment)[0])
        if found.map({ !FileManager.default.fileExists(atPath: $0) }) ?? true {
            throw CommandFailure(.failed, "the configuration file doesn't exist")
        }
    }
}
