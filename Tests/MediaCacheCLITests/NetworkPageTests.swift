import Testing

@testable import MediaCacheCLI

struct NetworkPageTests {
    private let page = NetworkPage(
        urls: ["http://192.168.1.20:9479", "http://10.0.0.7:9479"], token: String(repeating: "t", count: 43))

    @Test func terminalShowsAddressAndCode() throws {
        let lines = page.lines(isTerminal: true, style: .plain)
        #expect(lines[0] == "In your network: http://192.168.1.20:9479, http://10.0.0.7:9479")
        #expect(lines[2] == "http://192.168.1.20:9479/#token=\(page.token)")
        let code = try #require(QRCode(lines[2]))
        #expect(Array(lines[3...]) == code.lines(isColored: false))
        // The code fits into a terminal of 80 columns and 24 lines.
        #expect(code.version <= 5 && lines[3...].allSatisfy { $0.count <= 45 } && lines[3...].count <= 23)
        let colored = page.lines(isTerminal: true, style: TextStyle(isColored: true))
        #expect(Array(colored[3...]) == code.lines(isColored: true))
    }

    @Test func otherOutputContainsNoToken() {
        let lines = page.lines(isTerminal: false, style: .plain)
        #expect(lines.count == 1 && !lines[0].contains(page.token))
    }

    @Test func machineWithoutNetworkHasNoCode() {
        let page = NetworkPage(urls: [], token: "t")
        #expect(page.address == nil && page.lines(isTerminal: true, style: .plain).isEmpty)
    }

    /// The longest address: an IPv6 address and a port of five digits.
    @Test func codeHoldsLongestAddress() {
        let urls = ["http://[2001:db8:1234:5678:9abc:def0:1234:5678]:65535"]
        let page = NetworkPage(urls: urls, token: String(repeating: "t", count: 43))
        #expect(page.lines(isTerminal: true, style: .plain).count > 20)
    }
}
