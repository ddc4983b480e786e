import ArgumentParser
import MediaCache
import MediaCacheAPI
import MediaCacheServer

/// `mediacache key`.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Shows and replaces the key of the API.",
        discussion: """
              mediacache key show
              mediacache key roll

            The key opens the API and the page, and nothing else. Players get tokens: `token` lists and revokes those.
            """,
        subcommands: [KeyShowCommand.self, KeyRollCommand.self]
    )
}

/// The key's file, as `--json` prints it.
struct KeyReport: Codable, Sendable, Hashable {
    /// The file's path.
    var path: String
    /// The key; nil where it isn't asked for.
    var key: String?
}

/// `mediacache key show`.
struct KeyShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints the key.",
        discussion: """
              mediacache key show
              curl -H "Authorization: Bearer $(mediacache key show)" http://127.0.0.1:9479/api/v1/usage

            --json prints an object with the keys path and key.
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let location = try cache.location
        let path = AccessKeyFile(location: location).path
        guard let key = try AccessKeyFile.key(of: location) else {
            throw CommandFailure(.failed, "there is no key in “\(path)”; `mediacache serve` makes one")
        }
        try StandardStreams.print(json ? JSONOutput.text(KeyReport(path: path, key: key.value)) : key.value)
    }
}

/// `mediacache key roll`.
struct KeyRollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roll",
        abstract: "Replaces the key.",
        discussion: """
              mediacache key roll
              mediacache key roll && mediacache key show

            The old key is refused at once, by a running server too. So is the standing playback token, which the play \
            URLs printed by `url` and shown by the page hold. Other tokens stay valid; `token revoke` ends them.
            --json prints an object with the key path, the file of the new key.
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let settings = try HostSettings(cache: cache)
        let path = AccessKeyFile(location: settings.location).path
        try await Connection.use(settings) { try await $0.client.rollKey() }
        try StandardStreams.print(
            json ? JSONOutput.text(KeyReport(path: path)) : "New key written to “\(path)”. The old key no longer works."
        )
    }
}
