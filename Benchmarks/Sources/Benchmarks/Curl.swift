import Foundation

/// A client that reads one response with curl.
enum Curl {
    /// Reads the resource of 1 GiB at a URL, and returns the time that curl measured.
    @discardableResult
    static func read(_ url: URL) async throws -> Transfer {
        let output = try await Peer.run(
            "curl", ["-sS", "--fail", "-o", "/dev/null", "-w", "%{size_download} %{time_total}", url.absoluteString],
            within: .seconds(300))
        let numbers = String(decoding: output, as: UTF8.self).split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 2, numbers[0] == Double(1 << 30), numbers[1] > 0 else {
            throw HarnessError("curl didn't read 1 GiB from \(url): it printed the length and time \(numbers)")
        }
        return Transfer(bytes: numbers[0], seconds: numbers[1])
    }
}
