import MediaCache
import MediaCacheAPI
public import NIOCore
public import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

@testable import MediaCacheServer

struct ResponsePumpTests {
    private static let media = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 5) }

    @Test func delaysHeadUntilFirstByteToReportFailures() throws {
        let source = FakeSource(Self.media, available: 0)
        let channel = try TestServer.connect(TestServer.context(source))
        try channel.send(TestServer.request())
        #expect(try channel.received().isEmpty)
        source.readers[0].advance(to: 0, error: CacheError(.unreachable, "the origin is down"))
        let response = try #require(RawResponse(try channel.received()))
        #expect(response.status == 502 && response.fields["content-type"] == "application/problem+json")
        #expect(channel.isActive)
    }

    @Test func sendsBytesAsTheyArrive() throws {
        let source = FakeSource(Self.media, available: 10)
        let channel = try TestServer.connect(TestServer.context(source))
        var response = try #require(try channel.exchange(TestServer.request()))
        #expect(response.body.count == 10)
        source.readers[0].advance(to: 1000)
        response.body += try channel.received()
        #expect(response.body == Array(Self.media[..<1000]))
        source.readers[0].advance(to: .max)
        response.body += try channel.received()
        #expect(response.body == Self.media)
        #expect(source.readers[0].isCancelled)
    }

    @Test func closesConnectionIfBodyFails() throws {
        let source = FakeSource(Self.media, available: 1000)
        let channel = try TestServer.connect(TestServer.context(source))
        let response = try #require(try channel.exchange(TestServer.request()))
        #expect(response.fields["content-length"] == "3000000")
        source.readers[0].advance(to: 0, error: CacheError(.timedOut, "the origin stalls"))
        #expect(try channel.received().isEmpty)
        #expect(!channel.isActive)
    }

    @Test func doesNotReadWhileConnectionIsUnwritable() throws {
        let source = FakeSource(Self.media)
        let channel = try TestServer.connect(TestServer.context(source))
        channel.isWritable = false
        try channel.send(TestServer.request())
        #expect(source.readers[0].state.withLock { $0.polls } == 0)
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        let response = try #require(RawResponse(try channel.received()))
        #expect(response.body == Self.media)
    }

    @Test func disconnectingClientCancelsReader() throws {
        let source = FakeSource(Self.media, available: 1000)
        let channel = try TestServer.connect(TestServer.context(source))
        try channel.send(TestServer.request())
        #expect(!source.readers[0].isCancelled)
        channel.pipeline.fireChannelInactive()
        #expect(source.readers[0].isCancelled)
    }

    @Test func retriesFailedReads() throws {
        let source = FakeSource(Self.media, readFailures: 2)
        let channel = try TestServer.connect(TestServer.context(source))
        let response = try #require(try channel.exchange(TestServer.request()))
        #expect(response.body == Self.media)
        #expect(source.readers[0].state.withLock { $0.failedReads } == 2)
    }

    @Test func reportsPersistentReadFailures() throws {
        let source = FakeSource(Self.media, readFailures: 100)
        let channel = try TestServer.connect(TestServer.context(source))
        let response = try #require(try channel.exchange(TestServer.request()))
        #expect(response.status == 500)
    }

    @Test func respondsToManyPipelinedRequestsInOrder() throws {
        let source = FakeSource(Self.media)
        let context = TestServer.context(source)
        let channel = try TestServer.connect(context)
        let count = 2000
        let requests = (0..<count).map { TestServer.request("GET", "Range: bytes=\($0)-\($0)") }
        try channel.send(requests.joined())
        let text = String(decoding: try channel.received(), as: UTF8.self)
        let ranges = text.split(separator: "\r\n").filter { $0.hasPrefix("Content-Range: ") }
        #expect(ranges.count == count)
        #expect(ranges.enumerated().allSatisfy { $1 == "Content-Range: bytes \($0)-\($0)/3000000" })
        #expect(channel.isActive)
        #expect(context.metrics.snapshot.responses(.play, statusClass: 2) == count)
    }

    /// While a player is paused, the piece that it hasn't accepted is read again each second, which keeps it in the
    /// page cache.
    @Test func rereadsUnsentPieceEachSecond() async throws {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        // The descriptor isn't read.
        let source = FakeSource(Self.media, descriptor: 0)
        let context = TestServer.context(source, pool: pool)
        let (channel, client) = (NIOAsyncTestingChannel(), PausedClient())
        let loop = channel.testingEventLoop
        let peer = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        channel.remoteAddress = peer
        try await loop.executeInContext {
            try channel.pipeline.syncOperations.addHandler(client)
            try Listener.configure(channel.pipeline.syncOperations, server: context, unsentBytes: { _ in 0 })
            channel.connect(to: peer, promise: nil)
        }
        /// Advances the clock and runs all resulting work.
        func advance(_ time: TimeAmount) async throws {
            await loop.advanceTime(by: time)
            // The pool has a single thread, so this runs after the reads.
            try await pool.runIfActive {}
            await loop.run()
        }
        let pieces = [0..<2_097_152, 2_097_152..<3_000_000] as [Range<Int64>]
        func reads(of piece: Int) -> Int {
            let range = pieces[piece]
            let count = source.bytes.reads.reduce(0) { $0 + $1.clamped(to: range).count }
            #expect(count.isMultiple(of: range.count))
            return count / range.count
        }

        try await channel.writeInbound(ByteBuffer(string: TestServer.request()))
        #expect(client.pieces == 1)
        for second in 0..<3 {
            try await advance(.milliseconds(999))
            #expect(reads(of: 0) == second)
            try await advance(.milliseconds(1))
            #expect(reads(of: 0) == second + 1)
        }
        client.acceptPiece()
        await loop.run()
        #expect(client.pieces == 2)
        try await advance(.seconds(1))
        #expect(reads(of: 0) == 3)
        #expect(reads(of: 1) == 1)
        client.disconnect()
        await loop.run()
        try await advance(.seconds(5))
        #expect(reads(of: 1) == 1)
        #expect(source.readers[0].isCancelled)
        _ = try? await channel.finish(acceptAlreadyClosed: true)
        try await pool.shutdownGracefully()
    }
}

/// A client that accepts a piece of a file only when the test calls `acceptPiece`.
private final class PausedClient: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let state = Mutex((pieces: 0, waiting: EventLoopPromise<Void>?.none))

    var pieces: Int { state.withLock { $0.pieces } }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .fileRegion = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        state.withLock { $0 = ($0.pieces + 1, promise) }
    }

    func acceptPiece() { takePromise()?.succeed() }

    func disconnect() { takePromise()?.fail(ChannelError.ioOnClosedChannel) }

    private func takePromise() -> EventLoopPromise<Void>? {
        state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
    }
}

/// A piece of a file is written only to channels with socket options.
extension NIOAsyncTestingChannel: @retroactive SocketOptionProvider {
    /// Does nothing.
    public func unsafeSetSocketOption<Value: Sendable>(
        level: SocketOptionLevel, name: SocketOptionName, value: Value
    ) -> EventLoopFuture<Void> {
        eventLoop.makeSucceededVoidFuture()
    }

    /// Does nothing.
    public func unsafeSetSocketOption<Value: Sendable>(
        level: NIOBSDSocket.OptionLevel, name: NIOBSDSocket.Option, value: Value
    ) -> EventLoopFuture<Void> {
        eventLoop.makeSucceededVoidFuture()
    }

    /// Fails.
    public func unsafeGetSocketOption<Value: Sendable>(
        level: SocketOptionLevel, name: SocketOptionName
    ) -> EventLoopFuture<Value> {
        eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }

    /// Fails.
    public func unsafeGetSocketOption<Value: Sendable>(
        level: NIOBSDSocket.OptionLevel, name: NIOBSDSocket.Option
    ) -> EventLoopFuture<Value> {
        eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
}
