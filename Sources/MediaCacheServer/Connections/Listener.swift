import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// The listening sockets of a server.
struct Listener: Sendable {
    let server: ServerContext
    let registry: ConnectionRegistry
    let group: any EventLoopGroup

    /// Binds to `host` and `port`. For a loopback host, binds to both IPv4 and IPv6 loopback on the same port, or only
    /// to IPv4 if the machine has no IPv6 loopback.
    ///
    /// - Throws: ``ServerError`` with `portTaken` or `addressUnavailable`.
    func bind(host: String, port: Int) async throws -> [any Channel] {
        guard HostPolicy.isLoopback(host) else { return [try await bindOne(host, port)] }
        // The system picks a port that is free for IPv4, but another process may be using it for IPv6.
        var attempts = port == 0 ? 8 : 1
        while true {
            attempts -= 1
            let first = try await bindOne(host.hasPrefix("127.") ? host : "127.0.0.1", port)
            guard let picked = first.localAddress?.port else { return [first] }
            do {
                return [first, try await bindOne("::1", picked)]
            } catch let error where error.code == .portTaken {
                try? await first.close()
                if attempts == 0 { throw error }
            } catch {
                server.logger.debug("no IPv6 loopback on this machine: \(error)")
                return [first]
            }
        }
    }

    private func bindOne(_ host: String, _ port: Int) async throws(ServerError) -> any Channel {
        let server = server
        let registry = registry
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // A piece is written only while less than one piece is buffered, so media never takes more than 512 KiB.
            .childChannelOption(
                .writeBufferWaterMark, value: .init(low: PieceBuffers.pieceSize / 4, high: PieceBuffers.pieceSize - 1)
            )
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard registry.add(channel) else {
                        return try channel.pipeline.syncOperations.addHandler(TooManyConnections())
                    }
                    try Self.configure(channel.pipeline.syncOperations, server: server)
                }
            }
        do {
            return try await bootstrap.bind(host: host, port: port).get()
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw ServerError(
                .portTaken,
                "port \(port) at \(host) is in use by another process; choose another with --port, or 0 for any free port",
                cause: error)
        } catch {
            let authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            throw ServerError(
                .addressUnavailable, "can't listen on \(authority): \(BindFailure.reason(error))", cause: error)
        }
    }

    /// Adds the handlers of one connection.
    static func configure(
        _ pipeline: ChannelPipeline.SynchronousOperations, server: ServerContext,
        unsentBytes: @escaping (any Channel) -> Int = ConnectionClock.bufferedBytes
    ) throws {
        let clock = ConnectionClock(limits: server.limits, unsentBytes: unsentBytes)
        let pieces = server.pieces.buffers(of: pipeline.eventLoop)
        try pipeline.addHandler(clock)
        // Stops reading from a client that pipelines requests without reading responses.
        try pipeline.addHandler(BackPressureHandler())
        var encoding = HTTPResponseEncoder.Configuration()
        encoding.automaticallySetFramingHeaders = false
        var decoding = NIOHTTPDecoderLimitConfiguration()
        decoding.maxHeaderFieldSize = server.limits.maximumHeadBytes
        decoding.maxHeaderListSize = server.limits.maximumHeadBytes
        decoding.maxHeaderFieldCount = 100
        try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: true, withErrorHandling: false, withOutboundHeaderValidation: true,
            withEncoderConfiguration: encoding, withDecoderLimitConfiguration: decoding)
        try pipeline.addHandler(RequestHandler(server: server, clock: clock, pieces: pieces))
    }
}

/// Descriptions of the causes of failed bindings.
package enum BindFailure {
    package static func reason(_ error: any Error) -> String {
        if let error = error as? SocketAddressError.UnknownHost { return "“\(error.host)” has no address" }
        guard let error = error as? IOError else { return "\(error)" }
        switch error.errnoCode {
        case EADDRINUSE: return "another program is using that port"
        case EACCES, EPERM: return "ports below 1024 need administrator rights"
        case EADDRNOTAVAIL: return "this machine has no such address"
        default: return String(cString: strerror(error.errnoCode))
        }
    }
}
