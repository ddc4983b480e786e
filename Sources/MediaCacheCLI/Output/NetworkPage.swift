/// The page for other devices in the network, as `serve --lan` and `token code` print it.
struct NetworkPage: Sendable, Hashable {
    /// The server's URLs in the network, the preferred one first; empty if this machine is in no network.
    let urls: [String]
    /// The token for the library.
    let token: String

    /// The address of the page; nil without a URL. Browsers don't send the fragment, which contains the token.
    var address: String? { urls.first.map { "\($0)/#token=\(token)" } }

    /// Returns the lines to print.
    ///
    /// - Parameters:
    ///   - isTerminal: Whether the output is a terminal. Other output contains no token, since other users may be able to
    ///     read a pipe or a file.
    ///   - style: The use of colors.
    func lines(isTerminal: Bool, style: TextStyle) -> [String] {
        guard let address else { return [] }
        let heading = "In your network: \(urls.joined(separator: ", "))"
        guard isTerminal else { return [heading] }
        let code = QRCode(address)?.lines(isColored: style.isColored) ?? []
        return [heading, "To play on another device, scan this code with it, or open this address:", address] + code
    }
}
