import Foundation

/// wrk, as many readers.
struct Wrk {
    /// The length of each range, at random offsets; nil reads the whole file.
    var range: Int?
    var fileLength: Int
    var connections: Int
    var seconds: Int
    /// What it asks for, in Lua; else the URL, or ranges of it.
    var script: String?

    /// What `url` gives them together.
    func bytesPerSecond(_ url: URL) async throws -> Double {
        let folder = try TemporaryFolder("wrk")
        var arguments = [
            "-t", "\(min(connections, 2))", "-c", "\(connections)", "-d", "\(seconds)s", "--timeout", "30s",
        ]
        if let script = script ?? range.map(rangeScript) {
            try script.write(toFile: folder.file("requests.lua"), atomically: true, encoding: .utf8)
            arguments += ["-s", folder.file("requests.lua")]
        }
        let output = try await Peer.run("wrk", arguments + [url.absoluteString], within: .seconds(seconds + 60))
        let text = String(decoding: output, as: UTF8.self)
        guard !text.contains("Non-2xx"), !text.contains("Socket errors") else { throw HarnessError("wrk: \(text)") }
        // "  12345 requests in 3.01s, 3.02GB read": with whole files, few or none of the requests end.
        guard let match = text.firstMatch(of: #/requests in ([\d.]+)(ms|s|m), ([\d.]+)([KMGT]?)B read/#),
            let time = Double(match.1), let amount = Double(match.3)
        else { throw HarnessError("wrk: \(text)") }
        let units: [Substring: Double] = ["": 1, "K": 0x1p10, "M": 0x1p20, "G": 0x1p30, "T": 0x1p40]
        let times: [Substring: Double] = ["ms": 1e-3, "s": 1, "m": 60]
        return amount * (units[match.4] ?? 1) / (time * (times[match.2] ?? 1))
    }

    /// No response() function: with one, wrk itself is what is measured.
    private func rangeScript(_ range: Int) -> String {
        """
        local threads = 0
        function setup(thread) threads = threads + 1; thread:set("number", threads) end
        function init(arguments) math.randomseed(1000 + number) end
        function request()
            local start = math.random(0, \((fileLength - range) >> 12)) * 4096
            return wrk.format("GET", nil, { Range = "bytes=" .. start .. "-" .. (start + \(range - 1)) })
        end
        """
    }
}
