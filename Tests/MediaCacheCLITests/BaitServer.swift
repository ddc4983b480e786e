import Foundation
import Synchronization

/// An HTTP server on a loopback port that serves a fixed body at each path, and counts connections.
final class BaitServer: Sendable {
    private let listener: Int32
    let port: UInt16
    private let state = Mutex((bodies: [String: [UInt8]](), connections: 0, paths: Set<String>()))

    init() throws {
        #if canImport(Glibc)
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard code else { throw POSIXError(.EADDRNOTAVAIL) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        let thread = Thread { [weak self, listener] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self else { return }
                self.answer(connection)
            }
        }
        thread.start()
    }

    /// The number of connections whose request was read.
    var connections: Int { state.withLock { $0.connections } }

    var paths: Set<String> { state.withLock { $0.paths } }

    func serve(_ body: [UInt8], at path: String) -> String {
        state.withLock { $0.bodies[path] = body }
        return url(path)
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func answer(_ connection: Int32) {
        defer { close(connection) }
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while request.count < 65536, request.suffix(4) != [13, 10, 13, 10] {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { break }
            request += buffer[..<count]
        }
        let path = String(decoding: request, as: UTF8.self).split(separator: " ").dropFirst().first.map(String.init)
        let body = state.withLock { state in
            state.connections += 1
            if let path { state.paths.insert(path) }
            return path.flatMap { state.bodies[$0] }
        }
        let head =
            "HTTP/1.1 \(body == nil ? "404 Not Found" : "200 OK")\r\nContent-Type: video/mp4\r\n"
            + "Content-Length: \(body?.count ?? 0)\r\nConnection: close\r\n\r\n"
        var rest = (Array(head.utf8) + (body ?? []))[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
