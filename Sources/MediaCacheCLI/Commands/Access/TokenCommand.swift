import ArgumentParser

/// `mediacache token`.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Lists, creates and revokes the tokens in URLs for players.",
        discussion: """
            EXAMPLES:
              mediacache token list
              mediacache token create --label 'living room'
              mediacache token create --asset 'A film' --expires 7d
              mediacache token revoke x3vdkx2m7pca

            A playback token is part of the path: `/play/TOKEN/…`, `/k/TOKEN/library/…`, `/k/TOKEN/live/…`. It grants \
            access to everything that players read, but not to the API. A token for an asset grants access to that \
            asset only.
            """,
        subcommands: [
            TokenListCommand.self, TokenCreateCommand.self, TokenRevokeCommand.self, TokenCodeCommand.self,
        ],
        defaultSubcommand: TokenListCommand.self
    )
}
