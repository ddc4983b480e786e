import Foundation
import TestSupport

/// An HTTP/1.1 client over one blocking loopback socket, which supports exact ranges, first-byte times and reads at any
/// speed, but not chunked bodies, redirects or TLS.
final class HTTPConnection {
    struct Head: Sendable {
        var status: Int
        var fields: [String: String]
        var contentLength: Int
        /// The time from sending the request to the last byte of the head.
        var delay: Duration
    }

    private let descriptor: Int32
    private let authority: String
    private var leftover: [UInt8] = []
    /// The number of unread bytes of the body.
    private(set) var bodyLeft = 0
    private var requestTime = ContinuousClock.now

    /// Connects to the port of `url` at 127.0.0.1. The host of `url` is used only in the `Host` field.
    init(to url: URL, receiveBuffer: Int32? = nil) throws {
        authority = "\(url.host ?? "127.0.0.1"):\(url.port ?? 80)"
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else {
            throw HarnessError("a socket can't be created: \(String(cString: strerror(errno)))")
        }
        if var receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in.loopback(port: url.port ?? 80)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            // `deinit` closes the descriptor. Closing it here too could close a descriptor that has been reused.
            throw HarnessError("can't connect to \(authority): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    /// Sends a request over a new connection.
    static func get(_ url: URL, range: Range<Int>? = nil) throws -> (status: Int, body: Data) {
        let connection = try HTTPConnection(to: url)
        let status = try connection.request(url, range: range).status
        return (status, try connection.body())
    }

    /// Returns the body of a response with status 200.
    static func body(of url: URL) throws -> Data {
        let (status, body) = try get(url)
        guard status == 200 else { throw HarnessError("\(url): \(status)") }
        return body
    }

    func request(
        _ url: URL,
        method: String = "GET",
        range: Range<Int>? = nil,
        fields: [String: String] = [:],
        content: Data? = nil
    ) throws -> Head {
        guard bodyLeft == 0 else { throw HarnessError("\(bodyLeft) bytes of the previous body are unread") }
        let target = url.absoluteString.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        var text = "\(method) /\(target.count > 3 ? target[3] : "") HTTP/1.1\r\nHost: \(authority)\r\n"
        if let range { text += "Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)\r\n" }
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        if let content { text += "Content-Length: \(content.count)\r\n" }
        requestTime = .now
        try send(text + "\r\n" + String(decoding: content ?? Data(), as: UTF8.self))
        let head = try readHead()
        bodyLeft = method == "HEAD" || head.status == 204 || head.status == 304 ? 0 : head.contentLength
        return head
    }

    /// Reads some of the body into `buffer`, and returns the number of bytes; 0 at its end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let limit = min(buffer.count, bodyLeft)
        guard limit > 0, let base = buffer.baseAddress else { return 0 }
        let count: Int
        if leftover.isEmpty {
            count = try receive(base, limit)
            guard count > 0 else {
                throw HarnessError("the connection was closed \(bodyLeft) bytes before the end of the body")
            }
        } else {
            count = min(leftover.count, limit)
            buffer.copyBytes(from: leftover[..<count])
            leftover.removeFirst(count)
        }
        bodyLeft -= count
        return count
    }

    func body(limit: Int = .max) throws -> Data {
        var data = Data(count: min(limit, bodyLeft))
        let count = data.count
        try data.withUnsafeMutableBytes { bytes in
            var filled = 0
            while filled < count { filled += try read(into: .init(rebasing: bytes[filled...])) }
        }
        return data
    }

    /// Compares at most `limit` bytes of the body with those of `file` from `offset` on. Returns the offset of the
    /// first buffer that differs.
    func firstDifference(from file: MappedFile, at offset: Int, limit: Int = .max) throws -> Int? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var (position, left, difference) = (offset, min(limit, bodyLeft), Int?.none)
        while left > 0 {
            let count = try read(into: .init(rebasing: buffer[..<min(buffer.count, left)]))
            if difference == nil, !file.matches(.init(rebasing: buffer[..<count]), at: position) {
                difference = position
            }
            position += count
            left -= count
        }
        return difference
    }

    private func send(_ text: String) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            #if canImport(Glibc)
                let flags = Int32(MSG_NOSIGNAL)
            #else
                let flags: Int32 = 0
            #endif
            let count = bytes.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else {
                throw HarnessError("\(authority) didn't accept the request: \(String(cString: strerror(errno)))")
            }
            bytes = bytes.dropFirst(count)
        }
    }

    private func receive(_ base: UnsafeMutableRawPointer, _ count: Int) throws -> Int {
        while true {
            let received = recv(descriptor, base, count, 0)
            if received >= 0 { return received }
            if errno != EINTR { throw HarnessError("\(authority): \(String(cString: strerror(errno)))") }
        }
    }

    private func readHead() throws -> Head {
        let end = Array("\r\n\r\n".utf8)
        var bytes = leftover
        var found: Int?
        while true {
            found = bytes.indices.first { bytes[$0...].starts(with: end) }
            if found != nil { break }
            guard bytes.count < 64 << 10 else { throw HarnessError("\(authority): the response head exceeds 64 KiB") }
            var piece = [UInt8](repeating: 0, count: 16 << 10)
            let count = try piece.withUnsafeMutableBytes { raw in
                guard let base = raw.baseAddress else { return 0 }
                return try receive(base, raw.count)
            }
            guard count > 0 else { throw HarnessError("\(authority) closed the connection without a response") }
            bytes += piece[..<count]
        }
        let delay = ContinuousClock.now - requestTime
        let lines = String(decoding: bytes[..<(found ?? 0)], as: UTF8.self).components(separatedBy: "\r\n")
        leftover = Array(bytes[((found ?? 0) + end.count)...])
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw HarnessError("\(authority): no status in \(lines.first ?? "")")
        }
        let pairs = lines.dropFirst().compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return (line[..<colon].lowercased(), value)
        }
        let fields = Dictionary(pairs) { "\($0), \($1)" }
        guard let length = fields["content-length"].flatMap({ Int($0) }) ?? (status == 204 || status == 304 ? 0 : nil)
        else {
            throw HarnessError("\(authority): a response without Content-Length (status \(status))")
        }
        return Head(status: status, fields: fields, contentLength: length, delay: delay)
    }
}
