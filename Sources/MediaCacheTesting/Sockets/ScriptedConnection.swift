import HTTPTypes
import MediaCache

/// A connection to a scripted server. It responds to requests until either side closes it.
struct ScriptedConnection {
    private static let maximumHeadSize = 64 << 10

    private let socket: StreamSocket
    private let origin: ScriptedOrigin
    private var received: [UInt8] = []

    init(socket: StreamSocket, origin: ScriptedOrigin) {
        self.socket = socket
        self.origin = origin
    }

    mutating func run() {
        guard acceptSOCKS() else { return }
        while let head = readHead(), respond(to: head) {}
    }

    /// Performs a SOCKS 5 handshake (RFC 1928) if the client begins one, with or without a user name and password (RFC
    /// 1929). Returns false if the connection should be closed.
    private mutating func acceptSOCKS() -> Bool {
        guard let first = read(1), first[0] == 5 else { return !received.isEmpty }
        guard let greeting = read(2), let methods = read(2 + Int(greeting[1]))?.dropFirst(2) else { return false }
        received.removeFirst(2 + methods.count)
        var fields = HTTPFields()
        let authenticates = methods.contains(2)
        guard socket.send([5, authenticates ? 2 : 0]) else { return false }
        if authenticates {
            guard let user = takeText(after: 1), let password = takeText(after: 0) else { return false }
            if !user.isEmpty { fields[.proxyAuthorization] = "\(user):\(password)" }
            guard socket.send([1, 0]) else { return false }
        }
        // A request to connect to a name.
        guard let request = read(4), request[1] == 1, request[3] == 3, let name = takeText(after: 4),
            let port = read(2)
        else { return false }
        received.removeFirst(2)
        origin.didTunnel(to: "\(name):\(Int(port[0]) << 8 | Int(port[1]))", fields)
        return socket.send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    }

    /// Returns the first received bytes without removing them; nil at the end of the connection.
    private mutating func read(_ count: Int) -> [UInt8]? {
        while received.count < count {
            guard let more = socket.receive() else { return nil }
            received += more
        }
        return Array(received[..<count])
    }

    /// Removes `offset` bytes, a length in one byte, and a text. Returns the text; nil if it's incomplete.
    private mutating func takeText(after offset: Int) -> String? {
        guard let length = read(offset + 1).map({ Int($0[offset]) }), let bytes = read(offset + 1 + length) else {
            return nil
        }
        received.removeFirst(bytes.count)
        return String(decoding: bytes[(offset + 1)...], as: UTF8.self)
    }

    /// Reads a head up to its empty line (RFC 9112 §2.1). Returns nil if it's incomplete or too long.
    private mutating func readHead() -> String? {
        let end: [UInt8] = [13, 10, 13, 10]
        while received.count <= Self.maximumHeadSize {
            if let index = received.indices.dropLast(3).first(where: { received[$0..<$0 + 4].elementsEqual(end) }) {
                let head = String(decoding: received[..<index], as: UTF8.self)
                received.removeSubrange(..<(index + 4))
                return head
            }
            guard let more = socket.receive() else { return nil }
            received += more
        }
        return nil
    }

    /// Responds to a request. Returns false if the connection should be closed.
    private mutating func respond(to head: String) -> Bool {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ")
        guard words.count == 3 else { return false }
        var authority = ""
        var fields = HTTPFields()
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), let name = HTTPField.Name(String(line[..<colon])) else {
                return false
            }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            if name.canonicalName == "host" {
                authority = String(value)
            } else {
                fields.append(.init(name: name, value: String(value)))
            }
        }
        // The server acts as both the proxy and the other end of the tunnel.
        if words[0] == "CONNECT" {
            origin.didTunnel(to: String(words[1]), fields)
            return socket.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
        }
        guard let content = readContent(fields),
            let method = HTTPRequest.Method(rawValue: String(words[0])),
            let url = try? Self.url(of: String(words[1]), authority: authority)
        else { return false }
        var request = OriginRequest(url: url, headerFields: fields)
        request.method = method
        request.content = RequestContent(content)
        guard let exchange = try? origin.begin(request) else {
            socket.resetOnClose()
            return false
        }
        let staysOpen = send(exchange, isHead: words[0] == "HEAD")
        exchange.finish(.cancelled)
        return staysOpen && fields[.connection]?.lowercased() != "close"
    }

    /// Returns the URL of a target in origin form or, from the client of a proxy, in absolute form (RFC 9112 §3.2).
    private static func url(of target: String, authority: String) throws -> ResourceURL {
        try target.hasPrefix("http://")
            ? ResourceURL(target) : ResourceURL(scheme: "http", authority: authority, target: target)
    }

    /// Reads the content of a request with `Content-Length`; returns nil at the end of the connection.
    private mutating func readContent(_ fields: HTTPFields) -> [UInt8]? {
        let length = fields[.contentLength].flatMap { Int($0) } ?? 0
        let content = read(length)
        received.removeFirst(content?.count ?? 0)
        return content
    }

    private func send(_ exchange: ScriptedExchange, isHead: Bool) -> Bool {
        let reply = exchange.reply
        for gate in reply.headGates where !gate.isOpen {
            guard socket.wait(at: gate) else { return false }
        }
        if reply.isUnreachable {
            exchange.finish(.broken)
            return false
        }
        let hasNoBody = isHead || reply.status == 304 || reply.status == 204
        guard socket.send(head(of: reply, hasNoBody: hasNoBody)) else { return false }
        if hasNoBody {
            exchange.finish(.complete)
            return true
        }
        return sendBody(exchange)
    }

    private func head(of reply: ScriptedReply, hasNoBody: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(reply.status) Scripted\r\n"
        for field in reply.headerFields { text += "\(field.name.rawName): \(field.value)\r\n" }
        switch reply.framing {
        case .length: break
        case .chunked: text += "Transfer-Encoding: chunked\r\n"
        case .close: if !hasNoBody { text += "Connection: close\r\n" }
        }
        return Array((text + "\r\n").utf8)
    }

    private func sendBody(_ exchange: ScriptedExchange) -> Bool {
        let isChunked = exchange.reply.framing == .chunked
        while true {
            switch exchange.step() {
            case .bytes(let bytes):
                let framed = isChunked ? Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10] : bytes
                guard socket.send(framed) else { return false }
            case .wait(let gate):
                guard socket.wait(at: gate) else { return false }
            case .end(let isTruncated):
                if isTruncated { return false }
                if isChunked { return socket.send(Array("0\r\n\r\n".utf8)) }
                return exchange.reply.framing == .length
            case .reset:
                socket.resetOnClose()
                return false
            }
        }
    }
}
