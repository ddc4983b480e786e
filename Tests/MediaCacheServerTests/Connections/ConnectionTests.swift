import Foundation
import MediaCache
import MediaCacheAPI
import NIOCore
import NIOEmbedded
import Testing

@testable import MediaCacheServer

struct ConnectionTests {
    private let source = FakeSource([1, 2, 3])

    private func connect(_ limits: ServerLimits = ServerLimits()) throws -> EmbeddedChannel {
        try TestServer.connect(TestServer.context(source, limits: limits))
    }

    @Test func requiresOneAllowedHost() throws {
        func status(_ fields: String, version: String = "1.1") throws -> Int? {
            try connect().exchange("GET \(TestServer.playPath()) HTTP/\(version)\r\n\(fields)\r\n")?.status
        }
        #expect(try status("Host: localhost\r\n") == 200)
        #expect(try status("Host: media.example:9479\r\n") == 200)
        #expect(try status("") == 400)
        #expect(try status("Host: localhost\r\nHost: localhost\r\n") == 400)
        #expect(try status("Host: evil.example\r\n") == 421)
        #expect(try status("", version: "1.0") == 200)
    }

    @Test func checksHostOfEachRequest() throws {
        let channel = try connect()
        func status(_ host: String) throws -> Int? {
            try channel.exchange("GET \(TestServer.playPath()) HTTP/1.1\r\nHost: \(host)\r\n\r\n")?.status
        }
        #expect(try status("localhost") == 200)
        #expect(try status("evil.example") == 421)
        #expect(try status("localhost") == 200)
        #expect(try status("media.example") == 200)
    }

    @Test func requiresConsistentAbsoluteTarget() throws {
        let path = TestServer.playPath()
        func status(_ authority: String, _ host: String) throws -> Int? {
            try connect().exchange("GET http://\(authority)\(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")?.status
        }
        #expect(try status("localhost", "LOCALHOST") == 200)
        #expect(try status("localhost:80", "localhost") == 200)
        #expect(try status("localhost:9479", "localhost:9479") == 200)
        #expect(try status("localhost:9479", "localhost:9480") == 400)
        #expect(try status("localhost", "media.example") == 400)
        #expect(try status("media.example", "localhost") == 400)
        #expect(try status("evil.example", "localhost") == 400)
        #expect(try status("evil.example", "evil.example") == 421)
        #expect(try status("localhost", "localhost\r\nHost: localhost") == 400)
    }

    @Test func keepsHTTP10ConnectionOnRequest() throws {
        let closing = try connect()
        let response = try #require(try closing.exchange(TestServer.request(version: "1.0")))
        #expect(response.fields["connection"] == "close")
        #expect(!closing.isActive)
        let keeping = try connect()
        let request = TestServer.request("GET", "Connection: keep-alive", version: "1.0")
        #expect(try keeping.exchange(request)?.fields["connection"] == "keep-alive")
        #expect(try keeping.exchange(request)?.status == 200)
    }

    @Test func closesConnectionOnRequest() throws {
        let channel = try connect()
        #expect(try channel.exchange(TestServer.request("GET", "Connection: close"))?.fields["connection"] == "close")
        #expect(!channel.isActive)
    }

    @Test func refusesLongHead() throws {
        let channel = try connect()
        let response = try channel.exchange(TestServer.request("GET", "X: " + String(repeating: "x", count: 40_000)))
        #expect(response?.status == 431)
        #expect(!channel.isActive)
    }

    @Test func refusesLongBody() throws {
        let channel = try connect()
        let fields = "Host: localhost\r\nAuthorization: Bearer \(TestServer.key.value)\r\n"
        let head = "POST /echo HTTP/1.1\r\n\(fields)Content-Length: 2000000\r\n\r\n"
        #expect(try channel.exchange(head)?.status == 413)
        #expect(!channel.isActive)
        let unannounced = try connect()
        try unannounced.send("POST /echo HTTP/1.1\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<17 {
            guard unannounced.isActive else { break }
            try unannounced.send("10000\r\n" + String(repeating: "x", count: 0x10000) + "\r\n")
        }
        #expect(RawResponse(try unannounced.received())?.status == 413)
        #expect(!unannounced.isActive)
    }

    /// The server responds without waiting for the announced body.
    @Test(arguments: [
        ("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n", 401),
        ("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99000000\r\n\r\n", 401),
        ("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", 401),
        ("POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n", 404),
        ("POST /echo HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000\r\n\r\n", 421),
        ("POST /play/wrong/http/a.example/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n", 403),
        ("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n", 401),
    ])
    func refusesUnauthorizedClientBeforeItsBody(_ request: String, _ status: Int) throws {
        #expect(try connect().exchange(request)?.status == status)
    }

    @Test func discardsBodyOfRefusedRequest() throws {
        let channel = try connect()
        let head = "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
        for _ in 0..<3 {
            #expect(try channel.exchange(head)?.status == 401)
            try channel.send(String(repeating: "x", count: 1000))
            #expect(try channel.received().isEmpty)
        }
        #expect(try channel.exchange(TestServer.request())?.status == 200)
    }

    @Test func closesAfterRefusalWithLongBody() throws {
        let announced = try connect()
        let head = "POST /echo HTTP/1.1\r\nHost: localhost\r\n"
        #expect(try announced.exchange(head + "Content-Length: 2000000\r\n\r\n")?.fields["connection"] == "close")
        #expect(!announced.isActive)
        let unannounced = try connect()
        #expect(try unannounced.exchange(head + "Transfer-Encoding: chunked\r\n\r\n")?.status == 401)
        for _ in 0..<17 where unannounced.isActive {
            try unannounced.send("10000\r\n" + String(repeating: "x", count: 0x10000) + "\r\n")
        }
        #expect(!unannounced.isActive)
    }

    @Test func discardsUnusedBody() throws {
        let channel = try connect()
        let text = TestServer.request("GET", "Content-Length: 1000") + String(repeating: "x", count: 1000)
        #expect(try channel.exchange(text)?.body == [1, 2, 3])
        #expect(try channel.exchange(TestServer.request())?.status == 200)
        let long = TestServer.request("GET", "Content-Length: 2000000")
        #expect(try channel.exchange(long)?.status == 413)
    }

    @Test(arguments: [
        ("127.0.0.1", "localhost", "", 200), ("127.3.2.1", "127.0.0.1:9479", "", 200), ("::1", "[::1]", "", 200),
        ("::ffff:127.0.0.1", "localhost", "", 200), ("192.0.2.1", "localhost", "", 403),
        ("2001:db8::1", "localhost", "", 403), ("::ffff:192.0.2.1", "localhost", "", 403),
        ("192.0.2.1", "media.example", "", 403), ("127.0.0.1", "media.example", "", 403),
        ("127.0.0.1", "localhost", "Forwarded: for=192.0.2.1", 403), ("127.0.0.1", "localhost", "VIA: 1.1 proxy", 403),
        ("127.0.0.1", "localhost", "X-Forwarded-For: 127.0.0.1", 403),
        ("127.0.0.1", "localhost", "x-forwarded-host: localhost", 403),
        ("127.0.0.1", "localhost", "X-Forwarded-Proto: https", 403),
        ("127.0.0.1", "localhost", "X-Real-IP: 127.0.0.1", 403),
        // A page of another site could otherwise trigger the decoder, although it couldn't read the picture.
        ("127.0.0.1", "localhost", "Sec-Fetch-Site: cross-site", 403),
        ("127.0.0.1", "localhost", "Sec-Fetch-Site: same-origin", 200),
        ("127.0.0.1", "localhost", "Sec-Fetch-Site: none", 200),
        ("127.0.0.1", "localhost", "Origin: https://media.example", 403),
        ("127.0.0.1", "localhost", "Origin: null", 403),
        ("127.0.0.1", "localhost", "Origin: http://localhost.media.example", 403),
        ("127.0.0.1", "localhost", "Origin: http://127.0.0.1:9479", 200),
    ])
    func decidesLocalityByPeerAddress(_ peer: String, _ host: String, _ field: String, _ status: Int) throws {
        let route = FrameRoute()
        func answer(isExposed: Bool, _ path: String = "/frames/1") throws -> Int? {
            let context = TestServer.context(FakeSource([1]), routes: [route], isExposed: isExposed)
            let channel = try TestServer.connect(context, from: peer)
            let fields = "Host: \(host)\r\n" + (field.isEmpty ? "" : field + "\r\n")
            return try channel.exchange("GET \(path) HTTP/1.1\r\n\(fields)\r\n")?.status
        }
        // The route is empty, so the response to an accepted request is 404.
        #expect(try answer(isExposed: false) == (status == 200 ? 404 : 403))
        #expect(try answer(isExposed: true) == 403)
        #expect(try answer(isExposed: true, "/k/\(TestServer.token)/frames/1") == 404)
    }

    /// An app can use ``RouteAccess/library`` for its own paths, which no token opens.
    @Test func libraryAccessToOtherPathsRequiresKey() throws {
        let access = AccessControl(key: TestServer.key, sharesLibrary: true)
        let context = TestServer.context(FakeSource([1]), routes: [EchoRoute(access: .library)], access: access)
        let library = try #require(access.libraryToken)
        let statuses = [("", 401), ("/k/\(access.playbackToken)", 404), ("/k/\(library)", 403)]
        for (prefix, status) in statuses {
            let channel = try TestServer.connect(context)
            let text = "GET \(prefix)/echo HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
            #expect(try channel.exchange(text)?.status == status)
        }
    }

    @Test func absoluteTargetDoesNotGrantLocality() throws {
        let context = TestServer.context(FakeSource([1]), routes: [FrameRoute()])
        let channel = try TestServer.connect(context, from: "192.0.2.1")
        let text = "GET http://localhost/frames/1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        #expect(try channel.exchange(text)?.status == 403)
    }

    @Test func limitsConnectionsPerAddress() throws {
        let registry = ConnectionRegistry(maximum: 9, maximumPerAddress: 2)
        func connect(_ peer: String) throws -> EmbeddedChannel? {
            let channel = EmbeddedChannel()
            channel.remoteAddress = try SocketAddress(ipAddress: peer, port: 1)
            return registry.add(channel) ? channel : nil
        }
        let first = try #require(try connect("192.0.2.1"))
        #expect(try connect("192.0.2.1") != nil)
        #expect(try connect("192.0.2.1") == nil)
        #expect(try connect("::ffff:192.0.2.1") == nil)
        #expect(try connect("192.0.2.2") != nil)
        #expect(try connect("2001:db8:0:1::1") != nil)
        #expect(try connect("2001:db8:0:1::2") != nil)
        #expect(try connect("2001:db8:0:1::3") == nil)
        // The clients of a reverse proxy share its address.
        for _ in 0..<3 { #expect(try connect("127.0.0.1") != nil) }
        _ = try first.finish()
        first.embeddedEventLoop.run()
        #expect(try connect("192.0.2.1") != nil)
        #expect(registry.count == 8)
    }

    /// Status class 0 means that the client disconnected before the response's head.
    @Test(arguments: [(0, 0), (2, 2)] as [(Int64, Int)])
    func countsResponsesOfDisconnectedClients(_ available: Int64, _ statusClass: Int) throws {
        let context = TestServer.context(FakeSource([1, 2, 3], available: available))
        let channel = try TestServer.connect(context)
        try channel.send(TestServer.request())
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
        let snapshot = context.metrics.snapshot
        #expect(snapshot.responses.reduce(0, +) == 1)
        #expect(snapshot.responses(.play, statusClass: statusClass) == 1)
        #expect(snapshot.bytes(.play) == available)
    }

    @Test func closesConnectionsAfterResponsesWhenDraining() throws {
        let idle = try connect()
        idle.pipeline.fireUserInboundEventTriggered(DrainConnection())
        #expect(!idle.isActive)
        let waiting = FakeSource([1, 2, 3], available: 1)
        let busy = try TestServer.connect(TestServer.context(waiting))
        try busy.send(TestServer.request())
        busy.pipeline.fireUserInboundEventTriggered(DrainConnection())
        #expect(busy.isActive)
        waiting.readers[0].advance(to: .max)
        #expect(RawResponse(try busy.received())?.body == [1, 2, 3])
        #expect(!busy.isActive)
    }

    @Test func sendsEndOfResponseBeforeClosingDrainedConnection() throws {
        let channel = try connect()
        let socket = BlockedSocket()
        try channel.pipeline.syncOperations.addHandler(socket, position: .first)
        try channel.send(TestServer.request())
        channel.pipeline.fireUserInboundEventTriggered(DrainConnection())
        #expect(channel.isActive)
        socket.isBlocked = false
        channel.flush()
        #expect(RawResponse(try channel.received())?.body == [1, 2, 3])
        #expect(!channel.isActive)
    }
}

/// A socket that sends nothing while it is blocked.
private final class BlockedSocket: ChannelOutboundHandler {
    typealias OutboundIn = IOData

    var isBlocked = true

    func flush(context: ChannelHandlerContext) {
        if !isBlocked { context.flush() }
    }
}

/// An empty media route that local clients read without a token.
private struct FrameRoute: MediaRoute {
    let paths = ["/frames/"]
    let access = RouteAccess.reader

    func opener(for request: MediaRequest) throws -> any ReaderOpener {
        throw Problem.notFound("the route is empty")
    }
}
