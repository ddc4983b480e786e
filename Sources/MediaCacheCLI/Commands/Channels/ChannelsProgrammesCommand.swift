import ArgumentParser
import MediaCacheAPI
import MediaLibrary

/// `mediacache channels programmes`.
struct ChannelsProgrammesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "programmes",
        abstract:
            "Lists, makes, exports and deletes programmes: windows of a channel that are kept whatever its limits say.",
        discussion: """
              mediacache channels programmes news
              mediacache channels programmes news --add 'The last hour' --from -3600 --to now
              mediacache channels programmes news --add Match --from 2026-01-31T20:00:00Z --to 2026-01-31T22:00:00Z
              mediacache channels programmes news --add Film --from 1769890500 --to 1769895900 --format mp4 --format 3gp
              mediacache channels programmes news --export zmfxk4c6pq2a --format mp4
              mediacache channels programmes news --cancel zmfxk4c6pq2a --format 3gp
              mediacache channels programmes news --delete zmfxk4c6pq2a

            A programme may be made before it begins. What --format names it is exported as when it's over, by `serve`, \
            one file after the other, under links that never change: hls (a playlist of the segments that are kept), mp4 \
            (the samples as they are), 3gp (encoded anew by ffmpeg, if that is installed). What was lost stays a gap, and \
            the list says how many segments are missing. --export adds a format, or tries again what has failed or was \
            cancelled; --cancel cancels what isn't made yet, and deletes the file of what is. --delete deletes the \
            programme with its files. Times are seconds or milliseconds since 1970, ISO 8601, -<seconds> \
            for so long ago by the stream's clock, or now. --json prints an array of objects with the keys id, name, from, to (milliseconds \
            since 1970), playlistURL, movieURL, exports (objects with the keys format, state, progress, bytes, missing, reason, \
            url); with --add and --export the object of that one.
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

    @Option(help: ArgumentHelp("Export this one, by its ID.", valueName: "id"))
    var export: String?

    @Option(help: ArgumentHelp("Don't export this one, by its ID.", valueName: "id"))
    var cancel: String?

    @Option(
        help: ArgumentHelp(
            "What it's exported as: hls, mp4, 3gp. May be given several times; --cancel without it means all.",
            valueName: "format"),
        transform: ProgrammeFormat.init(parsing:))
    var format: [ProgrammeFormat] = []

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var cache: CacheOptions

    func validate() throws {
        let given = [("--add", add), ("--delete", delete), ("--export", export), ("--cancel", cancel)].filter {
            $0.1 != nil
        }
        guard given.count <= 1 else {
            throw ValidationError("\(given.map(\.0).joined(separator: " and ")) are commands of their own.")
        }
        guard (add != nil) == (from != nil), (add != nil) == (to != nil) else {
            throw ValidationError("A programme is made by --add TITLE --from MOMENT --to MOMENT.")
        }
        guard export == nil || !format.isEmpty else {
            throw ValidationError("Say by --format what it's to be exported as: hls, mp4 or 3gp.")
        }
        guard format.isEmpty || add != nil || export != nil || cancel != nil else {
            throw ValidationError("--format is about --add, --export and --cancel.")
        }
    }

    func run() async throws {
        let (name, json, add, from, to, delete) = (channel.name, json, add, from?.text, to?.text, delete)
        let (export, cancel, formats) = (export, cancel, format)
        let text = try await Connection.use(HostSettings(cache: cache)) { connection -> String? in
            let client = connection.client
            if let delete {
                try await client.removeProgramme(delete, from: name)
                return nil
            }
            if let cancel {
                let wanted = try await Self.formats(of: cancel, in: name, client)
                for format in formats.isEmpty ? wanted : formats {
                    try await client.removeExport(format, of: cancel, in: name)
                }
                return nil
            }
            if let export {
                var made: ProgrammeRecord?
                for format in formats { made = try await client.export(export, of: name, as: format) }
                return try json ? made.map { try JSONOutput.text($0) } : made.map(ChannelReport.exports)
            }
            if let add, let from, let to {
                let wanted = ProgrammeAddition(name: add, from: from, to: to, formats: formats.map(\.rawValue))
                let made = try await client.addProgramme(wanted, to: name)
                return try json ? JSONOutput.text(made) : "Keeps \(Table.printable(made.name)) as \(made.id)."
            }
            let programmes = try await client.programmes(of: name)
            return try json
                ? JSONOutput.text(programmes) : ChannelReport.table(ofProgrammes: programmes, in: name)
        }
        if let text { try StandardStreams.print(text) }
    }

    /// What a programme is exported as.
    private static func formats(
        of id: String, in name: ChannelName, _ client: APIClient
    ) async throws -> [ProgrammeFormat] {
        guard let programme = try await client.programmes(of: name).first(where: { $0.id == id }) else {
            throw CommandFailure(.failed, "the channel \(name) has no programme \(Table.printable(id))")
        }
        return programme.exports.compactMap { ProgrammeFormat(rawValue: $0.format) }
    }
}
