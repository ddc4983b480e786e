import Foundation
public import MediaCache
import Synchronization

/// A scripted origin behind a socket on the loopback address, for tests that need connections.
///
/// It supports HTTP/1.1 with persistent connections. After a CONNECT request or a SOCKS 5 handshake, it acts as both
/// the proxy and the origin behind it. The server stops when it is released.
public final class ScriptedOriginServer: Sendable {
    /// The sockets. They are shared with the accepting thread, which must not retain the server.
    private final class Sockets: Sendable {
        let listener: StreamSocket
        let open = Mutex<Set<StreamSocket>?>([])
        let accepted = Mutex(0)

        init(listener: StreamSocket) { self.listener = listener }

        /// Returns false if the server has stopped.
        func add(_ socket: StreamSocket) -> Bool {
            accepted.withLock { $0 += 1 }
            return open.withLock { $0?.insert(socket).inserted ?? false }
        }

        func close(_ socket: StreamSocket) {
            open.withLock { _ = $0?.remove(socket) }
            socket.close()
        }

        func stop() {
            let isFirst = open.withLock { open in
                for socket in open ?? [] { socket.shutDown() }
                defer { open = nil }
                return open != nil
            }
            if isFirst { listener.shutDown() }
        }
    }

    /// The origin that responds to requests.
    public let origin: ScriptedOrigin
    /// The port number.
    public let port: Int
    private let host: String
    private let sockets: Sockets

    /// Starts a server on a free port of 127.0.0.1 or ::1. Throws an error that names the failed system call.
    public init(_ origin: ScriptedOrigin = ScriptedOrigin(), onIPv6: Bool = false) throws {
        let (listener, port) = try StreamSocket.listen(onIPv6: onIPv6)
        self.origin = origin
        self.port = port
        host = onIPv6 ? "[::1]" : "127.0.0.1"
        let sockets = Sockets(listener: listener)
        self.sockets = sockets
        Thread.detachNewThread { Self.accept(on: sockets, origin: origin) }
    }

    deinit { sockets.stop() }

    /// Returns the URL of a path, which starts with `/`, on this server. Throws `CacheError` with `invalidURL`.
    public func url(_ target: String) throws -> ResourceURL {
        try ResourceURL(scheme: "http", authority: "\(host):\(port)", target: target)
    }

    /// The number of connections accepted so far.
    public var acceptedConnections: Int { sockets.accepted.withLock { $0 } }

    /// Closes the port, and ends all connections.
    public func stop() { sockets.stop() }

    private static func accept(on sockets: Sockets, origin: ScriptedOrigin) {
        while let socket = sockets.listener.accept() {
            guard sockets.add(socket) else {
                socket.close()
                break
            }
            Thread.detachNewThread {
                var connection = ScriptedConnection(socket: socket, origin: origin)
                connection.run()
                sockets.close(socket)
            }
        }
        sockets.listener.close()
    }
}
