import ArgumentParser
import MediaCacheAPI
import MediaCacheServer

/// The command `mediacache`.
@main
struct MediaCacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mediacache",
        abstract: "A media cache: plays, downloads and records media, and fetches each missing byte once.",
        discussion: """
            MediaCache sits between any player and any HTTP origin. Cached data is played from disk.

            EXAMPLES:
              mediacache demo                                demonstrate it in a browser
              mediacache play https://example.org/a.mp4      play through the cache
              mediacache get https://example.org/a.mp4       download a file or a stream
              mediacache list                                list films and channels
              mediacache play 'A film'                       play by title or ID
              mediacache record https://example.org/a.m3u8   record a live stream
              mediacache serve                               run the server
              mediacache doctor https://example.org/a.mp4    find playback problems

            A cache folder is owned by one process at a time. Other commands connect to that process and work the same \
            way.
            The folder is set by --cache, $MEDIACACHE_DIR or the configuration file, in this order. The default is the \
            system's folders for caches and for data. `mediacache config --help` explains the file and the variables.

            OUTPUT:
            Exit codes: 0 success; 1 failure, with the reason in one line; 2 partial success, with the missing parts; \
            64 invalid command line or configuration; 130 interrupted by Ctrl-C.
            Shell completion covers commands, options, files, channels and titles:
              source <(mediacache --generate-completion-script bash)
              mediacache --generate-completion-script zsh > ~/.zfunc/_mediacache
              mediacache --generate-completion-script fish | source
            """,
        version: CacheServer.version,
        groupedSubcommands: [
            CommandGroup(
                name: "Playing",
                subcommands: [
                    ServeCommand.self, URLCommand.self, PlayCommand.self, PreloadCommand.self, DemoCommand.self,
                ]),
            CommandGroup(
                name: "Library",
                subcommands: [
                    GetCommand.self, DownloadsCommand.self, ListCommand.self, InfoCommand.self, RemoveCommand.self,
                    PruneCommand.self, VerifyCommand.self, UsageCommand.self,
                ]),
            CommandGroup(
                name: "Setup",
                subcommands: [
                    SettingsCommand.self, DoctorCommand.self, ConfigCommand.self, KeyCommand.self, TokenCommand.self,
                    ManualCommand.self,
                ]),
            CommandGroup(name: "Live", subcommands: [RecordCommand.self, ChannelsCommand.self]),
            CommandGroup(
                name: "Media",
                subcommands: [
                    InspectCommand.self, FastStartCommand.self, RemuxCommand.self, ExportCommand.self,
                    ImportCommand.self, CoverCommand.self,
                ]),
        ]
    )

    static func main() async {
        StandardStreams.ignoreBrokenPipes()
        do {
            var command = try await asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    private static func unknownCommand(_ error: any Error) -> CommandFailure? {
        guard exitCode(for: error) == .validationFailure else { return nil }
        return UnknownCommand.failure(of: Array(CommandLine.arguments.dropFirst()))
    }

    private static func end(with error: any Error) -> Never {
        var error = error
        if CommandFailure(error) == nil, exitCode(for: error) == .success {
            // Help, or the version.
            do {
                try StandardStreams.print(HelpText.arranged(fullMessage(for: error)))
                exit(withError: nil)
            } catch let failure {
                error = failure
            }
        }
        guard let failure = CommandFailure(error) ?? unknownCommand(error) else { exit(withError: error) }
        if let line = failure.line {
            let name = "mediacache:"
            StandardStreams.printError(TextStyle.error.paint(name, .red) + line.dropFirst(name.count))
        }
        exit(withError: ExitCode(failure.exitCode))
    }
}
