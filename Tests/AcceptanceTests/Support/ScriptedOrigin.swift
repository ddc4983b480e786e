import Foundation
import Synchronization

/// A small HTTP/1.1 origin whose every answer a closure makes: for what changes from one request to the next. It cuts
/// ranges out of the answers itself. A thread for each connection, on a port of the loopback address.
final class ScriptedOrigin: Sendable {
    /// What was asked for.
    struct Request: Sendable {
        var path: String
        /// By their names in lower case.
        var fields: [String: String]
        /// How many requests for this path came before it.
        var number: Int
    }

    /// What is answered.
    struct Response: Sendable {
        var status = 200
        var fields: [String: String] = [:]
        var body = Data()
        /// How long it takes to come, once made.
        var delay: Duration = .zero
    }

    /// A request and when its answer had been sent.
    struct Entry: Sendable {
        var path: String
        var number: Int
        var fields: [String: String]
        var status: Int
        var bodyBytes: Int
        var received: ContinuousClock.Instant
        /// Just before the answer's first byte was sent.
        var answered: ContinuousClock.Instant
    }

    let port: Int
    private let descriptor: Int32
    private let answer: @Sendable (Request) -> Response
    private let state = Mutex((counts: [String: Int](), entries: [Entry]()))

    /// Starts it.
    init(answer: @escaping @Sendable (Request) -> Response) throws {
        self.answer = answer
        port = try FreePort.next()
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in.loopback(port: port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard descriptor >= 0, result == 0, listen(descriptor, 128) == 0 else {
            throw HarnessError("no listening socket: \(String(cString: strerror(errno)))")
        }
        let listener = descriptor
        // Without the connections' threads holding the origin, so that it can go.
        let respond: @Sendable (String, Int32) -> Bool = { [weak self] in self?.respond(to: $0, on: $1) ?? false }
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 && errno == EINTR { continue }
                guard connection >= 0 else { break }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                Thread.detachNewThread { Self.serve(connection) { respond($0, connection) } }
            }
            close(listener)
        }
    }

    /// The listening thread sees the socket shut and ends.
    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// The URL of a path.
    func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)/\(path)") ?? URL(fileURLWithPath: "/") }

    /// What was asked so far of paths that end in `suffix`, in order of the answers.
    func entries(_ suffix: String = "") -> [Entry] {
        state.withLock { $0.entries.filter { $0.path.hasSuffix(suffix) } }
    }

    /// Reads request heads until the connection ends.
    private static func serve(_ connection: Int32, respond: (String) -> Bool) {
        defer { close(connection) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = recv(connection, &piece, piece.count, 0)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            bytes += piece[..<count]
            while let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                bytes.removeSubrange(..<end.upperBound)
                guard respond(head) else { return }
            }
        }
    }

    /// The part of an answer that a single range asks for.
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

    /// Answers one request; false if the connection is gone.
    private func respond(to head: String, on connection: Int32) -> Bool {
        let received = ContinuousClock.now
        let lines = head.components(separatedBy: "\r\n")
        let path = lines[0].split(separator: " ").dropFirst().first.map(String.init) ?? "/"
        let pairs = lines.dropFirst().compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return (line[..<colon].lowercased(), value)
        }
        let fields = Dictionary(pairs) { $1 }
        let number = state.withLock { state in
            defer { state.counts[path, default: 0] += 1 }
            return state.counts[path, default: 0]
        }
        let response = Self.cut(answer(Request(path: path, fields: fields, number: number)), to: fields["range"])
        if response.delay > .zero { Thread.sleep(forTimeInterval: response.delay.milliseconds / 1000) }
        var text = "HTTP/1.1 \(response.status) Answer\r\n"
        if response.status != 304 { text += "Content-Length: \(response.body.count)\r\n" }
        for (name, value) in response.fields { text += "\(name): \(value)\r\n" }
        var bytes = Data((text + "\r\n").utf8)[...] + response.body
        let entry = Entry(
            path: path, number: number, fields: fields, status: response.status,
            bodyBytes: response.body.count, received: received, answered: .now)
        state.withLock { $0.entries.append(entry) }
        while !bytes.isEmpty {
            #if canImport(Glibc)
                let flags = Int32(MSG_NOSIGNAL)
            #else
                let flags: Int32 = 0
            #endif
            let count = bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }
}
