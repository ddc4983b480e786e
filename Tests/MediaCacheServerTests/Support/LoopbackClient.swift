import Foundation
import NIOCore
import NIOPosix

@testable import MediaCacheServer

/// A client's connection to a server, for sending text and receiving bytes.
struct LoopbackClient {
    private let channel: any Channel

    /// Sends a request on a new connection, and returns the response, which must end with the end of the connection.
    static func exchange(_ address: String, _ request: String) async throws -> RawResponse? {
        RawResponse(try await LoopbackClient(to: address).receiveAll(after: request))
    }

    /// Connects to an address of ``CacheServer/boundAddresses``.
    init(to address: String) async throws {
        let authority = address.dropFirst("http://".count)
        let colon = authority.lastIndex(of: ":") ?? authority.endIndex
        let host = authority[..<colon].filter { $0 != "[" && $0 != "]" }
        let port = Int(authority[authority.index(after: colon)...]) ?? 0
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: host, port: port).get()
    }

    /// Returns the connection as async sequences. They are created when needed, because an unused instance traps when
    /// it is deallocated. No bytes are lost, because the server sends nothing before a request.
    private func wrapped() async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        let channel = channel
        return try await channel.eventLoop.submit {
            try NIOAsyncChannel(wrappingChannelSynchronously: channel)
        }.get()
    }

    /// Sends text, and returns all bytes until the connection ends. `whenReceived` is called after each piece with the
    /// number of bytes so far.
    func receiveAll(
        after request: String, whenReceived: @Sendable (Int) async -> Void = { _ in }
    ) async throws -> [UInt8] {
        try await wrapped().executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var bytes: [UInt8] = []
            for try await buffer in inbound {
                bytes += buffer.readableBytesView
                await whenReceived(bytes.count)
            }
            return bytes
        }
    }

    /// Sends text. After `count` bytes have been received, does some work and sends more text. Returns all bytes until
    /// the connection ends.
    func receiveAll(
        after request: String, andWhenReceived count: Int, do work: @Sendable () async -> Void = {}, send next: String
    ) async throws -> [UInt8] {
        try await wrapped().executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var bytes: [UInt8] = []
            do {
                for try await buffer in inbound {
                    if bytes.count < count, bytes.count + buffer.readableBytes >= count {
                        await work()
                        try await outbound.write(ByteBuffer(string: next))
                    }
                    bytes += buffer.readableBytesView
                }
            } catch let error as IOError where error.errnoCode == ECONNRESET {
                // A server that closes a connection with unread bytes resets it.
            }
            return bytes
        }
    }

    /// Sends text, and disconnects after the first received bytes.
    func disconnect(after request: String) async throws {
        try await wrapped().executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            for try await _ in inbound { break }
        }
    }
}
