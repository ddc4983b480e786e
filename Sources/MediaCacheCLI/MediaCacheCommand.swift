import ArgumentParser
import MediaCacheAPI
import MediaCacheServer

/// The command `mediacache`.
@main
struct MediaCacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mediacache",
        abstract: "Plays media while it downloads, and keeps every byte that came.",
        discussion: """
            Between any player and any HTTP origin: what is here is played from here, what isn't is fetched once.

              mediacache demo                                  see it at work in a browser
              mediacache play https://example.org/film.mp4     play through the cache
              mediacache get https://example.org/film.mp4      keep all of it; of a stream too
              mediacache downloads                             what is under way, or waits
              mediacache record https://example.org/live.m3u8 --name news   a live stream, to replay any window of it
              mediacache serve                                 a server for players; `url` gives their URLs
              mediacache inspect https://example.org/a.m3u8    what is in a playlist or a film, and what is wrong

            One process owns a cache folder at a time; the other commands talk to it and behave the same.
            The folder is --cache, else $MEDIACACHE_DIR, else the configuration file's, else the system's folders for \
            caches and for data. `mediacache config` tells of that file, and of all that may stand in the environment.

            Exit codes: 0 done; 1 failed, with one line that says what and why; 2 done in part, saying what is \
            missing; 64 the command line isn't right; 130 ended by Ctrl-C.
            Shells complete commands, options, files, channels and titles:
              source <(mediacache --generate-completion-script bash)                in ~/.bashrc
              mediacache --generate-completion-script zsh > ~/.zfunc/_mediacache    with ~/.zfunc in $fpath
              mediacache --generate-completion-script fish | source                 in config.fish
            """,
        version: CacheServer.version,
        groupedSubcommands: [
            CommandGroup(
                name: "Playing", subcommands: [ServeCommand.self, URLCommand.self, PlayCommand.self, DemoCommand.self]),
            CommandGroup(
                name: "Keeping",
                subcommands: [
                    GetCommand.self, DownloadsCommand.self, ListCommand.self, InfoCommand.self, RemoveCommand.self,
                    PruneCommand.self,
                    VerifyCommand.self, UsageCommand.self,
                ]),
            CommandGroup(
                name: "Setting up",
                subcommands: [
                    DoctorCommand.self, ConfigCommand.self, KeyCommand.self, TokenCommand.self, ManualCommand.self,
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

    /// Runs the subcommand named and ends with its exit code.
    static func main() async {
        StandardStreams.surviveBrokenPipes()
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

    private static func end(with error: any Error) -> Never {
        var error = error
        if CommandFailure(error) == nil, exitCode(for: error) == .success {
            // Help, or the version.
            do {
                try StandardStreams.print(fullMessage(for: error))
                exit(withError: nil)
            } catch let failure {
                error = failure
            }
        }
        guard let failure = CommandFailure(error) else { exit(withError: error) }
        if let line = failure.line {
            let name = "mediacache:"
            StandardStreams.printError(TextStyle.error.paint(name, .red) + line.dropFirst(name.count))
        }
        exit(withError: ExitCode(failure.exitCode))
    }
}
