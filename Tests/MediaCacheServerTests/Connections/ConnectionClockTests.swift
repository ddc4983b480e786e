import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import MediaCacheServer

/// Tests of the deadlines of a connection with the default limits: 10 s for a head, 30 s for a body, 60 s between
/// requests, and 600 s in which a client must read at least 64 KiB of a response.
struct ConnectionClockTests {
    private static let media = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 5) }
    private let unsent = UnsentBytes()

    private func connect(_ source: FakeSource = FakeSource([1, 2, 3])) throws -> EmbeddedChannel {
        try TestServer.connect(TestServer.context(source), unsent: unsent)
    }

    private func isOpen(_ channel: EmbeddedChannel, after time: TimeAmount) -> Bool {
        channel.embeddedEventLoop.advanceTime(by: time)
        return channel.isActive
    }

    @Test func closesConnectionWithSlowHead() throws {
        let channel = try connect()
        try channel.send("GET / HTTP/1.1\r\n")
        for _ in 0..<9 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            try channel.send("X: y\r\n")
            #expect(channel.isActive)
        }
        #expect(!isOpen(channel, after: .seconds(4)))
    }

    @Test func closesSilentConnection() throws {
        let channel = try connect()
        #expect(!isOpen(channel, after: .seconds(15)))
    }

    @Test func closesConnectionWithSlowBody() throws {
        let channel = try connect()
        let key = TestServer.key.value
        try channel.send(
            "POST /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r\nContent-Length: 100\r\n\r\n")
        for _ in 0..<14 {
            try channel.send("x")
            #expect(isOpen(channel, after: .seconds(2)))
        }
        #expect(!isOpen(channel, after: .seconds(5)))
    }

    @Test func keepsIdleConnectionLongerThanHeadTimeout() throws {
        let channel = try connect()
        #expect(try channel.exchange(TestServer.request())?.status == 200)
        #expect(isOpen(channel, after: .seconds(50)))
        #expect(try channel.exchange(TestServer.request())?.status == 200)
        #expect(!isOpen(channel, after: .seconds(65)))
    }

    private static let endings = [
        TestServer.request(), TestServer.request("HEAD"), TestServer.request("GET", "If-None-Match: \"v1\""),
        TestServer.request("GET", "Range: bytes=9000000-"), TestServer.request("GET", "Range: bytes=0-9,100-109"),
        TestServer.request("DELETE"), "GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n",
        TestServer.request() + TestServer.request() + TestServer.request("HEAD"),
    ]

    /// The client receives the end of a large response after the server has finished it. The last bytes make the
    /// connection writable, which must not be treated as a new response.
    @Test(arguments: endings)
    func closesIdleConnectionAfterEveryKindOfResponse(_ request: String) throws {
        let channel = try connect(FakeSource(Self.media))
        try channel.send(request)
        #expect(try !channel.received().isEmpty)
        channel.pipeline.fireChannelWritabilityChanged()
        #expect(isOpen(channel, after: .seconds(50)))
        #expect(!isOpen(channel, after: .seconds(15)))
    }

    @Test(arguments: endings)
    func limitsNextHeadAfterEveryKindOfResponse(_ request: String) throws {
        let channel = try connect(FakeSource(Self.media))
        try channel.send(request)
        _ = try channel.received()
        channel.pipeline.fireChannelWritabilityChanged()
        channel.embeddedEventLoop.advanceTime(by: .seconds(30))
        try channel.send("GET / HTTP/1.1\r\n")
        for _ in 0..<9 {
            try channel.send("X: y\r\n")
            #expect(isOpen(channel, after: .seconds(1)))
        }
        #expect(!isOpen(channel, after: .seconds(4)))
    }

    @Test func keepsConnectionWaitingForOrigin() throws {
        let channel = try connect(FakeSource([1, 2, 3], available: 1))
        try channel.send(TestServer.request())
        #expect(isOpen(channel, after: .hours(1)))
    }

    /// The few unsent bytes don't make the connection unwritable.
    @Test func closesResponseOfStalledClient() throws {
        let channel = try connect(FakeSource([1, 2, 3], available: 1))
        try channel.send(TestServer.request())
        unsent.count = 100
        #expect(isOpen(channel, after: .seconds(590)))
        #expect(!isOpen(channel, after: .seconds(20)))
    }

    /// A paused player with unsent bytes is subject to the stall limit, not the idle limit.
    @Test func waitsForUnsentEndOfResponse() throws {
        let channel = try connect()
        unsent.count = 200_000
        #expect(try channel.exchange(TestServer.request())?.status == 200)
        #expect(isOpen(channel, after: .seconds(580)))
        unsent.count = 0
        #expect(isOpen(channel, after: .seconds(50)))
        #expect(!isOpen(channel, after: .seconds(20)))
    }

    @Test func closesConnectionStalledAtEndOfResponse() throws {
        let channel = try connect()
        unsent.count = 200_000
        #expect(try channel.exchange(TestServer.request())?.status == 200)
        #expect(!isOpen(channel, after: .seconds(620)))
    }

    @Test func doesNotCountTrickleAsProgress() throws {
        let channel = try connect(FakeSource([1, 2, 3], available: 1))
        try channel.send(TestServer.request())
        unsent.count = 500_000
        for _ in 0..<290 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(2))
            unsent.count -= 1
        }
        #expect(channel.isActive)
        for _ in 0..<20 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(2))
            unsent.count -= 1
        }
        #expect(!channel.isActive)
    }

    @Test func keepsConnectionOfSlowButSteadyClient() throws {
        let channel = try connect(FakeSource([1, 2, 3], available: 1))
        try channel.send(TestServer.request())
        unsent.count = 500_000
        for _ in 0..<6 {
            #expect(isOpen(channel, after: .seconds(590)))
            unsent.count -= 70_000
        }
    }

    /// While the connection isn't writable, the server doesn't read the rest of a request, so only the stall limit
    /// applies.
    @Test func ignoresDeadlinesOfUnreadRequest() throws {
        let channel = try connect()
        try channel.send("GET / HTTP/1.1\r\n")
        channel.isWritable = false
        unsent.count = 400_000
        #expect(isOpen(channel, after: .seconds(100)))
        #expect(!isOpen(channel, after: .seconds(520)))
    }
}

/// Tests of deadlines in real time, with sockets that buffer part of each response.
struct ConnectionDeadlineTests {
    private let origin = ScriptedOrigin()

    private func withHost(_ limits: ServerLimits, _ body: (CacheHost) async throws -> Void) async throws {
        try await CacheHost.use(origin: origin, { $0.limits = limits }, body)
    }

    private func request(_ host: CacheHost, megabytes: Int) throws -> String {
        let url = try ResourceURL("http://origin.example/\(megabytes).mp4")
        origin[url] = ScriptedResource(.bytes([UInt8](repeating: 7, count: megabytes << 20)))
        return "GET \(PlayTarget.path(for: url, token: host.server.playbackToken)) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    }

    @Test(.timeLimit(.minutes(30)), arguments: [1, 64])
    func closesSilentClientAfterResponse(megabytes: Int) async throws {
        try await withHost(ServerLimits(idleTimeout: .milliseconds(200))) { host in
            let client = try await LoopbackClient(to: try #require(host.server.boundAddresses.first))
            let bytes = try await client.receiveAll(after: try request(host, megabytes: megabytes))
            #expect(RawResponse(bytes)?.body.count == megabytes << 20)
            while await !host.server.isIdle { await Task.yield() }
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func closesClientThatReadsNothing() async throws {
        try await withHost(ServerLimits(stallTimeout: .milliseconds(200))) { host in
            let port = try #require(host.server.port)
            let text = try request(host, megabytes: 64)
            let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelOption(.autoRead, value: false)
                .connect(host: "127.0.0.1", port: port).get()
            try await client.writeAndFlush(ByteBuffer(string: text))
            while host.store.statistics.reads == 0 { await Task.yield() }
            while await !host.server.isIdle { await Task.yield() }
            #expect(host.store.statistics.openReads == 0)
            try? await client.close()
        }
    }

    /// The client begins its next head after it has received the response.
    @Test(.timeLimit(.minutes(30)))
    func closesClientWithSlowNextHead() async throws {
        // Long enough for the first head, whose deadline begins with the connection.
        try await withHost(ServerLimits(headTimeout: .seconds(15), idleTimeout: .seconds(3600))) { host in
            let text = try request(host, megabytes: 1)
            let client = try await LoopbackClient(to: try #require(host.server.boundAddresses.first))
            let bytes = try await client.receiveAll(after: text, andWhenReceived: 1 << 20, send: "GET /")
            #expect(RawResponse(bytes)?.body.count == 1 << 20)
        }
    }
}
