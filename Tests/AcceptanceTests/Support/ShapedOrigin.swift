import Foundation
import Synchronization
import TestSupport

/// An origin behind a slow network: responses are delayed, and each connection and the shared link have limited rates.
/// It counts requests and concurrent responses.
final class ShapedOrigin: Sendable {
    /// The delay and the rates.
    struct Shape: Sendable {
        /// The time from a request to the first byte of its response.
        var delay = Duration.milliseconds(50)
        /// The rate of each connection in bytes per second; nil for no limit.
        var connectionRate: Int? = 2 << 20
        /// The rate of all connections together in bytes per second; nil for no limit.
        var linkRate: Int?
    }

    enum Resource: Sendable {
        case text(String)
        /// Seeded bytes.
        case bytes(seed: Int, length: Int)
    }

    /// The requests and responses so far.
    struct Record: Sendable {
        /// The number of requests by path and range.
        var requests: [String: Int] = [:]
        var running = 0
        /// The maximum number of concurrent responses.
        var peak = 0
        /// The number of running responses by the first component of the path.
        var runningByAsset: [Substring: Int] = [:]
        /// The maximum number of concurrent responses for one asset.
        var peakOfAsset = 0
        var bytes = 0
    }

    private final class Shared: Sendable {
        let record = Mutex(Record())
        /// The time when the link is free again.
        let link = Mutex(ContinuousClock.now)
    }

    private static let pieceLength = 16 << 10
    private static let table: [UInt8] = {
        var generator = SeededGenerator(seed: 7)
        var table = [UInt8](repeating: 0, count: 1 << 20)
        table.withUnsafeMutableBytes { bytes in
            for index in 0..<bytes.count / 8 {
                bytes.storeBytes(
                    of: UInt64.random(in: 0 ... .max, using: &generator), toByteOffset: index * 8, as: UInt64.self)
            }
        }
        return table
    }()

    private let listener: LoopbackListener
    private let shared = Shared()

    init(_ shape: Shape = Shape(), _ resources: [String: Resource]) throws {
        let shared = shared
        listener = try LoopbackListener { head, connection in
            Self.respond(to: head, on: connection, shape, resources, shared)
        }
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(listener.port)/\(path)" }

    var record: Record { shared.record.withLock { $0 } }

    /// Resets the record, except for the numbers of running responses.
    func reset() {
        shared.record.withLock { record in
            let (running, byAsset) = (record.running, record.runningByAsset)
            record = Record()
            (record.running, record.runningByAsset) = (running, byAsset)
        }
    }

    static func bytes(seed: Int, _ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var position = range.lowerBound
        while position < range.upperBound {
            let start = (position + seed * 65_537) % table.count
            let count = min(range.upperBound - position, table.count - start)
            bytes += table[start..<start + count]
            position += count
        }
        return bytes
    }

    private static func respond(
        to head: String, on connection: Int32, _ shape: Shape, _ resources: [String: Resource], _ shared: Shared
    ) -> Bool {
        let lines = head.components(separatedBy: "\r\n")
        let target = lines[0].split(separator: " ").dropFirst().first.map { String($0.dropFirst()) } ?? ""
        let range = lines.first { $0.lowercased().hasPrefix("range:") }?.dropFirst(6).trimmingCharacters(
            in: .whitespaces)
        let asset = target.prefix { $0 != "/" }
        shared.record.withLock { record in
            record.requests["\(target) \(range ?? "")", default: 0] += 1
            record.running += 1
            record.runningByAsset[asset, default: 0] += 1
            record.peak = max(record.peak, record.running)
            record.peakOfAsset = max(record.peakOfAsset, record.runningByAsset[asset, default: 0])
        }
        var isOver = false
        func end() {
            guard !isOver else { return }
            isOver = true
            shared.record.withLock { record in
                record.running -= 1
                record.runningByAsset[asset, default: 1] -= 1
            }
        }
        defer { end() }
        Thread.sleep(forTimeInterval: shape.delay.milliseconds / 1000)
        let length: Int
        var fields = "ETag: \"1\"\r\nAccept-Ranges: bytes\r\n"
        switch resources[target] {
        case .text(let text):
            length = text.utf8.count
            fields += "Content-Type: application/vnd.apple.mpegurl\r\n"
        case .bytes(_, let count):
            length = count
            fields += "Content-Type: \(target.hasSuffix(".ts") ? "video/mp2t" : "video/mp4")\r\n"
        case nil:
            return LoopbackListener.send(
                Data("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8), on: connection)
        }
        var part = 0..<length
        var status = "200 OK"
        if let match = range?.wholeMatch(of: #/bytes=(\d+)-(\d*)/#), let start = Int(match.1), start < length {
            part = start..<min(length, Int(match.2).map { $0 + 1 } ?? length)
            status = "206 Partial Content"
            fields += "Content-Range: bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)\r\n"
        }
        let text = "HTTP/1.1 \(status)\r\nContent-Length: \(part.count)\r\n\(fields)\r\n"
        let isHead = lines[0].hasPrefix("HEAD ")
        if isHead { end() }
        guard LoopbackListener.send(Data(text.utf8), on: connection) else { return false }
        if isHead { return true }
        let began = ContinuousClock.now
        var position = part.lowerBound
        while position < part.upperBound {
            let piece = position..<min(part.upperBound, position + pieceLength)
            wait(for: piece.count, sent: position - part.lowerBound, since: began, shape, shared)
            let body: [UInt8] =
                switch resources[target] {
                case .bytes(let seed, _): bytes(seed: seed, piece)
                case .text(let text): Array(Array(text.utf8)[piece])
                case nil: []
                }
            // Counts the response as ended before sending its last bytes, because the client's next request may arrive
            // before this thread continues.
            if piece.upperBound == part.upperBound { end() }
            guard body.withUnsafeBytes({ LoopbackListener.send($0, on: connection) }) else { return false }
            shared.record.withLock { $0.bytes += piece.count }
            position = piece.upperBound
        }
        return true
    }

    /// Waits until the rates of the connection and the link permit sending a number of bytes.
    private static func wait(
        for count: Int, sent: Int, since began: ContinuousClock.Instant, _ shape: Shape, _ shared: Shared
    ) {
        var due = ContinuousClock.now
        if let rate = shape.connectionRate {
            due = max(due, began + .nanoseconds(Int64(Double(sent + count) / Double(rate) * 1e9)))
        }
        if let rate = shape.linkRate {
            let turn = shared.link.withLock { free in
                free = max(free, .now) + .nanoseconds(Int64(Double(count) / Double(rate) * 1e9))
                return free
            }
            due = max(due, turn)
        }
        let wait = due - .now
        if wait > .zero { Thread.sleep(forTimeInterval: wait.milliseconds / 1000) }
    }
}
