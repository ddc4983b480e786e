import ArgumentParser
import MediaCacheAPI

/// `mediacache token revoke`.
struct TokenRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revokes tokens. URLs that contain them stop working.",
        usage: "mediacache token revoke <id> ... [<options>]",
        discussion: """
            EXAMPLES:
              mediacache token revoke x3vdkx2m7pca
              mediacache token revoke standing    disable URLs from `url` and the web page
              mediacache token revoke library     disable the QR code of `serve --lan`

            New requests are rejected at once; running responses continue. A revoked standing or library token is \
            replaced by a new one.

            OUTPUT:
            --json prints an object with the key revoked, an array of IDs.
            """
    )

    private struct Report: Codable { var revoked: [String] }

    @Argument(help: ArgumentHelp("The tokens' IDs.", valueName: "id"))
    var ids: [String]

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let ids = ids
        try await Connection.use(HostSettings(cache: cache)) { connection in
            for id in ids { try await connection.client.revokeToken(id) }
        }
        if json { try StandardStreams.print(JSONOutput.text(Report(revoked: ids))) }
    }
}
