import Foundation
import Synchronization

/// An HTTP/1.1 origin on a loopback port whose responses are created by a closure, for resources that change between
/// requests. It applies ranges itself, and uses a thread for each connection.
final class ScriptedOrigin: Sendable {
    struct Request: Sendable {
        var path: String
        /// The header fields by lowercase name.
        var fields: [String: String]
        /// The number of earlier requests for the path.
        var number: Int
    }

    struct Response: Sendable {
        var status = 200
        var fields: [String: String] = [:]
        var body = Data()
        var delay: Duration = .zero
    }

    /// A request and the time of its response.
    struct Entry: Sendable {
        var path: String
        var number: Int
        var fields: [String: String]
        var status: Int
        var bodyBytes: Int
        var received: ContinuousClock.Instant
        /// The time just before the first byte of the response was sent.
        var responded: ContinuousClock.Instant
    }

    private final class Record: Sendable {
        let state = Mutex((counts: [String: Int](), entries: [Entry]()))
    }

    private let listener: LoopbackListener
    private let record = Record()

    init(answer: @escaping @Sendable (Request) -> Response) throws {
        let record = record
        listener = try LoopbackListener { head, connection in
            Self.respond(to: head, on: connection, answer, record)
        }
    }

    var port: Int { listener.port }

    func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)/\(path)") ?? URL(fileURLWithPath: "/") }

    /// Returns the requests so far whose path ends in `suffix`, in the order of their responses.
    func entries(_ suffix: String = "") -> [Entry] {
        record.state.withLock { $0.entries.filter { $0.path.hasSuffix(suffix) } }
    }

    /// Limits a response to the requested single range.
    private static func cut(_ response: Response, to range: String?) -> Response {
        guard response.status == 200, let match = range?.wholeMatch(of: #/bytes=(\d+)-(\d*)/#),
            let start = Int(match.1), start < response.body.count
        else { return response }
        let end = min(Int(match.2).map { $0 + 1 } ?? response.body.count, response.body.count)
        var part = response
        part.status = 206
        part.fields["Content-Range"] = "bytes \(start)-\(end - 1)/\(response.body.count)"
        part.body = response.body[start..<end]
        return part
    }

    /// Responds to one request. Returns false if the connection is closed.
    private static func respond(
        to head: String, on connection: Int32, _ answer: (Request) -> Response, _ record: Record
    ) -> Bool {
        let received = ContinuousClock.now
        let lines = head.components(separatedBy: "\r\n")
        let path = lines[0].split(separator: " ").dropFirst().first.map(String.init) ?? "/"
        let pairs = lines.dropFirst().compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return (line[..<colon].lowercased(), value)
        }
        let fields = Dictionary(pairs) { $1 }
        let number = record.state.withLock { state in
            defer { state.counts[path, default: 0] += 1 }
            return state.counts[path, default: 0]
        }
        let response = cut(answer(Request(path: path, fields: fields, number: number)), to: fields["range"])
        // The fields of a response to HEAD describe the body, which isn't sent (RFC 9110 §9.3.2).
        let body = lines[0].hasPrefix("HEAD ") ? Data() : response.body
        if response.delay > .zero { Thread.sleep(forTimeInterval: response.delay.milliseconds / 1000) }
        var text = "HTTP/1.1 \(response.status) Answer\r\n"
        if response.status != 304 { text += "Content-Length: \(response.body.count)\r\n" }
        for (name, value) in response.fields { text += "\(name): \(value)\r\n" }
        let entry = Entry(
            path: path, number: number, fields: fields, status: response.status,
            bodyBytes: body.count, received: received, responded: .now)
        record.state.withLock { $0.entries.append(entry) }
        return LoopbackListener.send(Data((text + "\r\n").utf8) + body, on: connection)
    }
}
