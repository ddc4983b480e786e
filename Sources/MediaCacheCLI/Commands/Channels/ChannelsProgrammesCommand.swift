import ArgumentParser
import MediaCacheAPI
import MediaLibrary

/// `mediacache channels programmes`.
struct ChannelsProgrammesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "programmes",
        abstract: "Lists, creates, exports and deletes programmes: named, pinned windows of a channel.",
        discussion: """
            EXAMPLES:
              mediacache channels programmes news
              mediacache channels programmes news --add 'Last hour' --from -3600 --to now
              mediacache channels programmes news --add Match --from 20:00 --to now
              mediacache channels programmes tv --add A --from 20:15 --to now --format mp4
              mediacache channels programmes news --export zmfxk4c6pq2a --format mp4
              mediacache channels programmes news --cancel zmfxk4c6pq2a --format 3gp
              mediacache channels programmes news --delete zmfxk4c6pq2a

            A programme can be created before it begins. After its end, `serve` exports it in each --format, one after \
            the other, under permanent URLs: hls (a playlist of the recorded segments), mp4 (the original samples), \
            3gp (encoded by ffmpeg, if it's installed). Missing segments become gaps, and the list shows their number. \
            --export adds a format, or retries one that failed or was cancelled. --cancel cancels an unfinished \
            export, and deletes the file of a finished one. --delete deletes the programme with its files. A time is \
            a time of day such as 20:15 (the last one for --from, the next one after it for --to), seconds or \
            milliseconds since 1970, ISO 8601, -<seconds> for seconds ago by the stream's clock, or now.

            OUTPUT:
            --json prints an array of objects: id, name, from, to (milliseconds since 1970), playlistURL, movieURL, \
            exports (objects with format, state, progress, bytes, missing, damaged, reason, url); with --add and \
            --export the object of that programme.
            """
    )

    @OptionGroup var channel: ChannelReference

    @Option(help: ArgumentHelp("Create a programme with this title.", valueName: "title"))
    var add: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The start of the programme to create.", valueName: "moment"),
        transform: MomentArgument.init(parsing:))
    var from: MomentArgument?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The end of the programme to create.", valueName: "moment"),
        transform: MomentArgument.init(parsing:))
    var to: MomentArgument?

    @Option(help: ArgumentHelp("Delete the programme with this ID.", valueName: "id"))
    var delete: String?

    @Option(help: ArgumentHelp("Export the programme with this ID.", valueName: "id"))
    var export: String?

    @Option(help: ArgumentHelp("Cancel exports of the programme with this ID.", valueName: "id"))
    var cancel: String?

    @Option(
        help: ArgumentHelp(
            "An export format: hls, mp4 or 3gp. Repeatable. Without it, --cancel cancels all exports.",
            valueName: "format"),
        transform: ProgrammeFormat.init(parsing:))
    var format: [ProgrammeFormat] = []

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func validate() throws {
        let given = [("--add", add), ("--delete", delete), ("--export", export), ("--cancel", cancel)].filter {
            $0.1 != nil
        }
        guard given.count <= 1 else {
            throw ValidationError("\(given.map(\.0).joined(separator: " and ")) can't be combined.")
        }
        guard (add != nil) == (from != nil), (add != nil) == (to != nil) else {
            throw ValidationError("Create a programme with --add TITLE --from TIME --to TIME.")
        }
        guard export == nil || !format.isEmpty else {
            throw ValidationError("--export needs --format: hls, mp4 or 3gp.")
        }
        guard format.isEmpty || add != nil || export != nil || cancel != nil else {
            throw ValidationError("--format needs --add, --export or --cancel.")
        }
    }

    func run() async throws {
        let (name, json, add, delete) = (channel.name, json, add, delete)
        let (from, to) = try times
        let (export, cancel, formats) = (export, cancel, format)
        let text = try await Connection.use(HostSettings(cache: cache)) { connection -> String? in
            let client = connection.client
            if let delete {
                try await client.removeProgramme(delete, from: name)
                return nil
            }
            if let cancel {
                let exported = try await Self.formats(of: cancel, in: name, client)
                for format in formats.isEmpty ? exported : formats {
                    try await client.removeExport(format, of: cancel, in: name)
                }
                return nil
            }
            if let export {
                var programme: ProgrammeRecord?
                for format in formats { programme = try await client.export(export, of: name, as: format) }
                return try json ? programme.map { try JSONOutput.text($0) } : programme.map(ChannelReport.exports)
            }
            if let add, let from, let to {
                let addition = ProgrammeAddition(name: add, from: from, to: to, formats: formats.map(\.rawValue))
                let programme = try await client.addProgramme(addition, to: name)
                return try json
                    ? JSONOutput.text(programme) : "Created \(Table.printable(programme.name)) (\(programme.id))."
            }
            let programmes = try await client.programmes(of: name)
            return try json
                ? JSONOutput.text(programmes) : ChannelReport.table(ofProgrammes: programmes, in: name)
        }
        if let text { try StandardStreams.print(text) }
    }

    /// The times of the programme to create. The server knows neither times of day nor this machine's time zone.
    private var times: (from: String?, to: String?) {
        get throws {
            let now = MomentArgument.now
            let start = try from?.nanoseconds(now: now)
            func text(_ moment: MomentArgument, _ time: Int64?) -> String {
                time.map { "\($0 / 1_000_000)" } ?? moment.text
            }
            return (
                from.map { text($0, ClockTime.start($0.text, now: now)) },
                to.map { text($0, ClockTime.end($0.text, start: start, now: now)) }
            )
        }
    }

    private static func formats(
        of id: String, in name: ChannelName, _ client: APIClient
    ) async throws -> [ProgrammeFormat] {
        guard let programme = try await client.programmes(of: name).first(where: { $0.id == id }) else {
            throw CommandFailure(
                .failed,
                "the channel \(name) has no programme \(Table.printable(id)); "
                    + "`mediacache channels programmes \(name)` lists its programmes")
        }
        return programme.exports.compactMap { ProgrammeFormat(rawValue: $0.format) }
    }
}
