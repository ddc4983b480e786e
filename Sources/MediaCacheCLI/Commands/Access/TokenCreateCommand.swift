import ArgumentParser
import Foundation
import MediaCacheAPI
import MediaLibrary

/// `mediacache token create`.
struct TokenCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Creates and prints a token.",
        usage: "mediacache token create [<options>]",
        discussion: """
            EXAMPLES:
              mediacache token create --label 'living room'
              mediacache token create --asset 'A film' --expires 7d

            Without --asset, the token is for playback: a client that has it can request any URL that the server's \
            address rules allow.
            With --asset, the token grants access to one asset. If a server is running, the asset's URLs are printed \
            too. The play URL fetches missing data; the library URL does so only while the asset's download is \
            unfinished.
            The token is printed once and can't be shown again.

            OUTPUT:
            --json prints an object with the keys id, scope, asset, label, created, expires, token, libraryURL, playURL. \
            Absent values are omitted.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The only asset that the token grants access to: its ID, title or URL.", valueName: "asset"),
        transform: AssetReference.init(parsing:))
    var asset: AssetReference?

    @Option(help: ArgumentHelp("A label for the token, which `token list` shows.", valueName: "text"))
    var label: String?

    @Option(
        help: ArgumentHelp(
            "How long the token is valid, such as 12h or 7d. (default: until it's revoked)", valueName: "time"),
        transform: DurationText.parse)
    var expires: Duration?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let (asset, label) = (asset, label)
        let expires = expires.map { Date(timeIntervalSinceNow: $0 / .seconds(1)) }
        let record = try await Connection.use(HostSettings(cache: cache)) { connection in
            let client = connection.client
            let id = try await asset?.find(in: try await client.assets(), noun: "asset", client: client).id
            var record = try await client.issueToken(
                TokenAddition(scope: id == nil ? .playback : .asset, asset: id, label: label, expires: expires))
            // A server that this command started stops with it, so its URLs would be useless.
            if connection.owner == nil { (record.libraryURL, record.playURL) = (nil, nil) }
            return record
        }
        try StandardStreams.print(json ? JSONOutput.text(record) : Self.table(record))
    }

    private static func table(_ record: TokenRecord) -> String {
        var table = Table([.init(""), .init("")])
        let rows = [
            ("ID", record.id), ("Token", record.token), ("Library URL", record.libraryURL),
            ("Play URL", record.playURL),
        ]
        for case (let name, let value?) in rows { table.add([name, value]) }
        return table.rendered()
    }
}
