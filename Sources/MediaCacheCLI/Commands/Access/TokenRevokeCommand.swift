import ArgumentParser
import MediaCacheAPI

/// `mediacache token revoke`.
struct TokenRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revokes tokens: URLs that hold them stop working.",
        discussion: """
              mediacache token revoke x3vdkx2m7pca
              mediacache token revoke standing              every URL that `url` printed, and that the page showed

            New requests are refused at once; responses that run end by themselves. A new standing token takes the place of \
            a revoked one.
            --json prints an object with the key revoked, an array of IDs.
            """
    )

    private struct Report: Codable { var revoked: [String] }

    @Argument(help: ArgumentHelp("The tokens' IDs.", valueName: "id"))
    var ids: [String]

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let ids = ids
        try await Connection.use(HostSettings(cache: cache)) { connection in
            for id in ids { try await connection.client.revokeToken(id) }
        }
        if json { try StandardStreams.print(JSONOutput.text(Report(revoked: ids))) }
    }
}
