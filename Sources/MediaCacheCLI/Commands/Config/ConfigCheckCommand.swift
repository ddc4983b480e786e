import ArgumentParser
import Foundation

/// `mediacache config check FILE`.
struct ConfigCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a configuration file: its settings, and the channels that it declares.",
        discussion: """
              mediacache config check config.json && systemctl reload mediacache

            Nothing is printed but what the file declares. The first thing that is wrong ends it with one line that \
            names the file, the setting, and what would be right.
            """
    )

    @Argument(
        help: ArgumentHelp("The file; else the one that `serve` would read.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var file: String?

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let path = file ?? ConfigurationPath.path(option: nil, environment: environment) else {
            throw CommandFailure(
                .failed, "there is no configuration file; `mediacache config path` says where it may be")
        }
        let configuration = ServeConfiguration(environment: environment, file: try ConfigurationFile(path: path))
        let settings = try configuration.hostSettings()
        _ = try settings.originSettings
        let count = configuration.settings.file?.values.count ?? 0
        try StandardStreams.print(
            "\(path) is right: \(count) \(count == 1 ? "setting" : "settings"), "
                + "\(settings.channels.count) \(settings.channels.count == 1 ? "channel" : "channels").")
    }
}
