import Foundation

/// The requests and responses in an origin's access log.
struct OriginLog {
    struct Entry: Sendable {
        var seconds: Double
        var status: Int
        var bodyBytes: Int64
        /// The range of the file that was sent; nil for a response without bytes of the file.
        var sent: Range<Int64>?
        /// Whether the client closed the connection before the end of the range. Unknown, and false, for status 200.
        var isCut: Bool
        var path: String
    }

    var entries: [Entry]

    /// Reads lines of `$request_time $status $body_bytes_sent "$http_range" "$sent_http_content_range" $uri`.
    init(_ text: String) throws {
        entries = try text.split(separator: "\n").map { line in
            let quoted = line.split(separator: "\"", omittingEmptySubsequences: false)
            let numbers = quoted[0].split(separator: " ")
            guard quoted.count == 5, numbers.count == 3, let seconds = Double(numbers[0]), let status = Int(numbers[1]),
                let bodyBytes = Int64(numbers[2])
            else { throw HarnessError("invalid line of the access log: \(line)") }
            // "bytes 0-1023/4096"
            let ends =
                (quoted[3].split(separator: " ").last ?? "").split(separator: "/").first?.split(separator: "-")
                .compactMap { Int64($0) } ?? []
            let announced = ends.count == 2 ? ends[0]..<ends[1] + 1 : 0..<bodyBytes
            let sent = status == 206 || status == 200 ? announced.lowerBound..<announced.lowerBound + bodyBytes : nil
            let path = quoted[4].trimmingCharacters(in: .whitespaces)
            return Entry(
                seconds: seconds, status: status, bodyBytes: bodyBytes, sent: sent.flatMap { $0.isEmpty ? nil : $0 },
                isCut: announced.count > bodyBytes, path: path)
        }
    }

    func of(_ path: String) -> OriginLog {
        var copy = self
        copy.entries = entries.filter { $0.path == "/\(path)" }
        return copy
    }

    /// Returns the entries after those of `earlier`.
    func since(_ earlier: OriginLog) -> OriginLog {
        var copy = self
        copy.entries = Array(entries.dropFirst(earlier.entries.count))
        return copy
    }

    /// The number of body bytes sent, without error responses.
    var bodyBytes: Int64 { entries.filter { $0.status == 200 || $0.status == 206 }.reduce(0) { $0 + $1.bodyBytes } }

    /// The maximum number of bytes that were in flight when connections were closed, and may be requested again. A
    /// reader and its connection buffer at most 512 KiB.
    var bytesInFlight: Int64 { Int64(entries.count { $0.isCut }) * (512 << 10) }

    /// The number of bytes of the file that were sent more than once.
    var repeatedBytes: Int64 {
        var (repeated, reached) = (Int64(0), Int64(0))
        for range in entries.compactMap(\.sent).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            repeated += max(0, min(reached, range.upperBound) - range.lowerBound)
            reached = max(reached, range.upperBound)
        }
        return repeated
    }

    /// A summary of the requests for failure messages.
    var summary: String {
        entries.suffix(20).map { "\($0.status) \($0.sent.map { "\($0)" } ?? "-") \($0.path)" }.joined(separator: "; ")
    }
}
