import Foundation
import NIOCore
import NIOPosix

@testable import MediaCacheServer

/// One connection to a server, on which text is sent and bytes are received.
struct LoopbackClient {
    private let channel: any Channel

    /// Connects, asks, and returns the response, which must end with the connection.
    static func exchange(_ address: String, _ request: String) async throws -> RawResponse? {
        RawResponse(try await LoopbackClient(to: address).receiveAll(after: request))
    }

    /// Connects to an address as the server tells it.
    init(to address: String) async throws {
        let authority = address.dropFirst("http://".count)
        let colon = authority.lastIndex(of: ":") ?? authority.endIndex
        let host = authority[..<colon].filter { $0 != "[" && $0 != "]" }
        let port = Int(authority[authority.index(after: colon)...]) ?? 0
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: host, port: port).get()
    }

    /// The connection as sequences. Made when it's used: one that is made and not used, as where connecting fails, ends the
    /// process. The server says nothing before it's asked, so nothing is missed.
    private func wrapped() async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        let channel = channel
        return try await channel.eventLoop.submit {
            try NIOAsyncChannel(wrappingChannelSynchronously: channel)
        }.get()
    }

    /// Sends text, and returns everything up to the connection's end. `whenReceived` is called after each piece with
    /// the number of bytes so far.
    func receiveAll(
        after request: String,
        whenReceived: @Sendable (Int) async -> Void = { _ in }
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

    /// Sends text, and more when a number of bytes has been received; returns everything up to the connection's end.
    func receiveAll(after request: String, andWhenReceived count: Int, send next: String) async throws -> [UInt8] {
        try await wrapped().executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var bytes: [UInt8] = []
            do {
                for try await buffer in inbound {
                    if bytes.count < count, bytes.count + buffer.readableBytes >= count {
                        try await outbound.write(ByteBuffer(string: next))
                    }
                    bytes += buffer.readableBytesView
                }
            } catch let error as IOError where error.errnoCode == ECONNRESET {
                // A server that closes with unread bytes resets the connection.
            }
            return bytes
        }
    }

    /// Sends text and leaves after the first bytes.
    func leave(after request: String) async throws {
        try await wrapped().executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            for try await _ in inbound { break }
        }
    }
}
