import ArgumentParser

/// `mediacache token`.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Lists, creates and revokes the tokens that URLs for players hold.",
        discussion: """
              mediacache token list
              mediacache token create --label 'living room'
              mediacache token create --asset 'A film' --expires 7d
              mediacache token revoke x3vdkx2m7pca

            A playback token stands in `/play/TOKEN/…`, and before other paths as `/k/TOKEN/library/…` and \
            `/k/TOKEN/live/…`. It opens what players read, and not the API. A token of an asset opens that asset alone.
            """,
        subcommands: [TokenListCommand.self, TokenCreateCommand.self, TokenRevokeCommand.self],
        defaultSubcommand: TokenListCommand.self
    )
}
