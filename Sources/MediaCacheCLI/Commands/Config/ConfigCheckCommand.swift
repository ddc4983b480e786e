import ArgumentParser
import Foundation
import MediaLibrary

/// `mediacache config check FILE`.
struct ConfigCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks the settings and channels of a configuration file.",
        discussion: """
            EXAMPLES:
              mediacache config check config.json && systemctl reload mediacache

            Prints the number of settings and channels, or the first error with the setting and a correction.
            """
    )

    @Argument(
        help: ArgumentHelp("The configuration file. (default: the file that `serve` reads)", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var file: String?

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let path = file ?? ConfigurationPath.path(option: nil, environment: environment) else {
            throw CommandFailure(
                .failed, "no configuration file exists; create one at the path that `mediacache config path` prints")
        }
        let configuration = ServeConfiguration(environment: environment, file: try ConfigurationFile(path: path))
        let settings = try configuration.hostSettings()
        let count = configuration.settings.file?.values.count ?? 0
        try StandardStreams.print(
            "\(path) is valid: \(count.counted("setting")), \(settings.channels.count.counted("channel")).")
    }
}
