import ArgumentParser
import MediaCache
import MediaCacheAPI
import MediaCacheServer

/// `mediacache key`.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Shows or replaces the API key.",
        discussion: """
            EXAMPLES:
              mediacache key show
              mediacache key roll

            The key grants access to everything except play URLs. Players use tokens, which `token` lists and revokes.
            """,
        subcommands: [KeyShowCommand.self, KeyRollCommand.self]
    )
}

/// The JSON output of the key commands.
struct KeyReport: Codable, Sendable, Hashable {
    /// The path of the key file.
    var path: String
    /// The key; nil for `key roll`.
    var key: String?
}

/// `mediacache key show`.
struct KeyShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints the key.",
        usage: "mediacache key show [<options>]",
        discussion: """
            EXAMPLES:
              mediacache key show
              key=$(mediacache key show)
              curl -H "Authorization: Bearer $key" http://127.0.0.1:9479/api/v1/usage

            OUTPUT:
            --json prints an object with the keys path and key.
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let file = AccessKeyFile.inUse(at: try cache.location)
        guard let key = try file.load() else {
            throw CommandFailure(.failed, "“\(file.path)” contains no key; `mediacache serve` creates one")
        }
        try StandardStreams.print(json ? JSONOutput.text(KeyReport(path: file.path, key: key.value)) : key.value)
    }
}

/// `mediacache key roll`.
struct KeyRollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roll",
        abstract: "Replaces the key.",
        usage: "mediacache key roll [<options>]",
        discussion: """
            EXAMPLES:
              mediacache key roll
              mediacache key roll && mediacache key show

            The old key is rejected at once, even by a running server. The same applies to the standing playback \
            token, which is part of the play URLs that `url` prints and the web page uses, and to the token in the QR \
            code of `serve --lan`. Other tokens stay valid; `token revoke` revokes them.

            OUTPUT:
            --json prints an object with the key path: the path of the key file.
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let settings = try HostSettings(cache: cache)
        let path = AccessKeyFile(location: settings.location).path
        try await Connection.use(settings) { try await $0.client.rollKey() }
        try StandardStreams.print(
            json ? JSONOutput.text(KeyReport(path: path)) : "New key written to “\(path)”. The old key no longer works."
        )
    }
}
