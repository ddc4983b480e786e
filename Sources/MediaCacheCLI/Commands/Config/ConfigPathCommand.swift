import ArgumentParser
import Foundation

/// `mediacache config path`.
struct ConfigPathCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Prints which configuration file is read.",
        discussion: """
              ${EDITOR:-vi} "$(mediacache config path)"

            Where there is none yet, the first place that is looked at is printed, and the exit code is 1.
            """
    )

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let found = ConfigurationPath.path(option: nil, environment: environment)
        try StandardStreams.print(found ?? ConfigurationPath.usual(environment)[0])
        if found.map({ !FileManager.default.fileExists(atPath: $0) }) ?? true {
            throw CommandFailure(.failed, "there is no such file yet")
        }
    }
}
