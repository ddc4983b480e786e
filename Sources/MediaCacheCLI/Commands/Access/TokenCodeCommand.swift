import ArgumentParser
import MediaCacheAPI

/// `mediacache token code`.
struct TokenCodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "code",
        abstract: "Prints the QR code with which other devices play the library.",
        usage: "mediacache token code [<options>]",
        discussion: """
            EXAMPLES:
              mediacache token code
              mediacache token code --json

            Requires a running `mediacache serve --lan`, which prints the same code when it starts on a terminal. The \
            code contains the address of a page, with a token that allows listing and playing the library's items and \
            channels. `token revoke library` makes the code invalid.

            OUTPUT:
            --json prints an object with the keys urls (the server's URLs in the network) and address.
            """
    )

    private struct Report: Encodable {
        var urls: [String]
        var address: String
    }

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var colors: ColorOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let page = try await Connection.use(HostSettings(cache: cache)) { try await Self.page($0.client) }
        guard let address = page.address else {
            throw CommandFailure(.failed, "this machine is in no network, so no other device can reach the server")
        }
        guard !json else {
            return try StandardStreams.print(JSONOutput.text(Report(urls: page.urls, address: address)))
        }
        for line in page.lines(isTerminal: true, style: colors.output) { try StandardStreams.print(line) }
    }

    private static func page(_ client: APIClient) async throws -> NetworkPage {
        guard let token = try await client.token("library")?.token else {
            throw CommandFailure(
                .failed, "no server shares the library with other devices; start one with `mediacache serve --lan`")
        }
        let loopback = ["http://127.", "http://localhost:", "http://[::1]:"]
        let urls = try await client.server().addresses.filter { url in !loopback.contains { url.hasPrefix($0) } }
        return NetworkPage(urls: urls, token: token)
    }
}
