import Foundation

@testable import MediaCacheTesting

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A server on the loopback address that runs a script for each connection, for tests of the bytes of requests.
final class RawServer: Sendable {
    let port: Int
    private let listener: StreamSocket

    /// Starts a server. The script runs on a thread of its own, and the connection is closed after it.
    init(_ script: @escaping @Sendable (StreamSocket) -> Void) throws {
        let (listener, port) = try StreamSocket.listen(onIPv6: false)
        (self.listener, self.port) = (listener, port)
        Thread.detachNewThread {
            while let socket = listener.accept() {
                Thread.detachNewThread {
                    script(socket)
                    socket.close()
                }
            }
            listener.close()
        }
    }

    deinit { listener.shutDown() }
}

extension StreamSocket {
    /// Receives a request head. Returns its lines, and the bytes received after it; nil at the end of the connection.
    func receiveHead() -> (lines: [String], rest: [UInt8])? {
        let end = Array("\r\n\r\n".utf8)
        var received: [UInt8] = []
        while let more = receive() {
            received += more
            guard let range = received.firstRange(of: end) else { continue }
            let head = String(decoding: received[..<range.lowerBound], as: UTF8.self)
            return (head.components(separatedBy: "\r\n"), Array(received[range.upperBound...]))
        }
        return nil
    }

    /// Limits the number of bytes that the system receives ahead of the reader.
    func limitReceiveBuffer(to count: Int) {
        var count = Int32(count)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &count, socklen_t(MemoryLayout<Int32>.size))
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }
}
