import ArgumentParser
import Foundation
import MediaCacheAPI
import MediaLibrary

/// `mediacache token list`.
struct TokenListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the valid tokens.",
        usage: "mediacache token list [<options>]",
        discussion: """
            EXAMPLES:
              mediacache token list
              mediacache token list --json

            The token `standing` is part of the URLs that the web page uses and `url` prints. With `serve --lan`, the \
            token `library` is part of the address for other devices, which `token code` prints. The tokens themselves \
            aren't listed; only hashes of the created ones are stored.

            OUTPUT:
            --json prints an array of objects with the keys id, scope (playback, library or asset), asset, label, \
            created, expires, lastUsed. Unknown values are omitted.
            """,
        aliases: ["ls"]
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let tokens = try await Connection.use(HostSettings(cache: cache)) { try await $0.client.tokens() }
        try StandardStreams.print(json ? JSONOutput.text(tokens) : Self.table(tokens))
    }

    private static func table(_ tokens: [TokenRecord]) -> String {
        var table = Table([
            .init("ID"), .init("SCOPE"), .init("ASSET"), .init("LABEL"), .init("CREATED"), .init("EXPIRES"),
            .init("LAST USED"),
        ])
        for token in tokens {
            let dates = [token.created, token.expires, token.lastUsed].map { date in
                date.map { MomentText.exact(wholeSeconds: Int64($0.timeIntervalSince1970) * 1000) } ?? "–"
            }
            table.add([token.id, token.scope.rawValue, token.asset ?? "", token.label ?? ""] + dates)
        }
        return table.rendered()
    }
}
