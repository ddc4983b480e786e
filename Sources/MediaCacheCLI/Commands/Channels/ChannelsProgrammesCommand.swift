import ArgumentParser
import MediaCacheServer

/// `mediacache channels programmes`.
struct ChannelsProgrammesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "programmes",
        abstract: "Lists, makes and deletes programmes: windows of a channel that are kept whatever its limits say.",
        discussion: """
              mediacache channels programmes news
              mediacache channels programmes news --add 'The last hour' --from -3600 --to now
              mediacache channels programmes news --add Match --from 2026-01-31T20:00:00Z --to 2026-01-31T22:00:00Z
              mediacache channels programmes news --delete zmfxk4c6pq2a

            A programme may be made before it begins. Times are seconds or milliseconds since 1970, ISO 8601, -<seconds> \
            for so long ago, or now. --json prints an array of objects with the keys id, name, from, to (milliseconds \
            since 1970), playlistURL, movieURL; with --add the object of the one that was made.
            """
    )

    @OptionGroup var channel: ChannelReference

    @Option(help: ArgumentHelp("Make a programme of this title.", valueName: "title"))
    var add: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("When it begins.", valueName: "moment"),
        transform: MomentArgument.init(parsing:))
    var from: MomentArgument?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("When it's over.", valueName: "moment"),
        transform: MomentArgument.init(parsing:))
    var to: MomentArgument?

    @Option(help: ArgumentHelp("Delete this one, by its ID.", valueName: "id"))
    var delete: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var cache: CacheOptions

    func validate() throws {
        guard (add == nil) || (delete == nil) else { throw ValidationError("--add and --delete are two commands.") }
        guard (add != nil) == (from != nil), (add != nil) == (to != nil) else {
            throw ValidationError("A programme is made by --add TITLE --from MOMENT --to MOMENT.")
        }
    }

    func run() async throws {
        let (name, json, add, from, to, delete) = (channel.name, json, add, from?.text, to?.text, delete)
        let text = try await Connection.use(HostSettings(cache: cache)) { connection -> String? in
            let client = connection.client
            if let delete {
                try await client.removeProgramme(delete, from: name)
                return nil
            }
            if let add, let from, let to {
                let made = try await client.addProgramme(ProgrammeAddition(name: add, from: from, to: to), to: name)
                return try json ? JSONOutput.text(made) : "Keeps \(Table.printable(made.name)) as \(made.id)."
            }
            let programmes = try await client.channel(name).programmes
            return try json
                ? JSONOutput.text(programmes) : ChannelReport.table(ofProgrammes: programmes, in: name)
        }
        if let text { try StandardStreams.print(text) }
    }
}
