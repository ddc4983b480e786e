import Foundation
import TestSupport

/// A loopback listener with a thread for each connection.
final class LoopbackListener: Sendable {
    let port: Int
    private let descriptor: Int32

    /// Reads request heads.
    ///
    /// - Parameter respond: Responds to a request head on a connection. Returns false to end the connection.
    convenience init(respond: @escaping @Sendable (String, Int32) -> Bool) throws {
        try self.init(serve: { connection in Self.serve(connection) { respond($0, connection) } })
    }

    /// - Parameter serve: Serves a connection, which is closed when it returns.
    init(serve: @escaping @Sendable (Int32) -> Void) throws {
        #if canImport(Glibc)
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 512) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard listener >= 0, isListening else {
            let reason = String(cString: strerror(errno))
            if listener >= 0 { close(listener) }
            throw HarnessError("no listening socket: \(reason)")
        }
        descriptor = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 && errno == EINTR { continue }
                guard connection >= 0 else { break }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                Thread.detachNewThread {
                    defer { close(connection) }
                    serve(connection)
                }
            }
            close(listener)
        }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private static func serve(_ connection: Int32, respond: (String) -> Bool) {
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

    static func send(_ data: Data, on connection: Int32) -> Bool {
        data.withUnsafeBytes { send($0, on: connection) }
    }

    /// Sends all bytes. Returns false if the connection is closed.
    static func send(_ bytes: UnsafeRawBufferPointer, on connection: Int32) -> Bool {
        #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        var sent = 0
        while sent < bytes.count {
            let count = sendBytes(connection, UnsafeRawBufferPointer(rebasing: bytes[sent...]), flags)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

/// Calls the system's `send`, which the methods above shadow.
private func sendBytes(_ connection: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
    send(connection, bytes.baseAddress, bytes.count, flags)
}
