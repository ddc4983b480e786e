import Foundation
import MediaCache
import NIOCore
import NIOEmbedded
import Testing

@testable import MediaCacheServer

struct ConnectionTests {
    private let source = FakeSource([1, 2, 3])

    private func connect(_ limits: ServerLimits = ServerLimits()) throws -> EmbeddedChannel {
        try TestServer.connect(TestServer.context(source, limits: limits))
    }

    @Test func aRequestHasExactlyOneHostAndAnAllowedOne() throws {
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

    @Test func eachRequestOfAConnectionIsJudgedByItsOwnHost() throws {
        let channel = try connect()
        func status(_ host: String) throws -> Int? {
            try channel.exchange("GET \(TestServer.playPath()) HTTP/1.1\r\nHost: \(host)\r\n\r\n")?.status
        }
        #expect(try status("localhost") == 200)
        #expect(try status("evil.example") == 421)
        #expect(try status("localhost") == 200)
        #expect(try status("media.example") == 200)
    }

    @Test func anAbsoluteTargetOutranksTheHostField() throws {
        let path = TestServer.playPath()
        let good = "GET http://localhost:9479\(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        #expect(try connect().exchange(good)?.status == 200)
        let bad = "GET http://evil.example\(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        #expect(try connect().exchange(bad)?.status == 421)
    }

    @Test func anOldClientIsKeptOnlyIfItAsks() throws {
        let closing = try connect()
        let response = try #require(try closing.exchange(TestServer.request(version: "1.0")))
        #expect(response.fields["connection"] == "close")
        #expect(!closing.isActive)
        let keeping = try connect()
        let request = TestServer.request("GET", "Connection: keep-alive", version: "1.0")
        #expect(try keeping.exchange(request)?.fields["connection"] == "keep-alive")
        #expect(try keeping.exchange(request)?.status == 200)
    }

    @Test func aClientThatAsksToCloseIsObeyed() throws {
        let channel = try connect()
        let response = try channel.exchange(TestServer.request("GET", "Connection: close"))
        #expect(response?.fields["connection"] == "close")
        #expect(!channel.isActive)
    }

    @Test func aHeadThatComesSlowlyEndsTheConnection() throws {
        let channel = try connect()
        try channel.send("GET / HTTP/1.1\r\n")
        for _ in 0..<9 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            try channel.send("X: y\r\n")
            #expect(channel.isActive)
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(4))
        #expect(!channel.isActive)
    }

    @Test func aClientThatSaysNothingIsLetGo() throws {
        let channel = try connect()
        channel.embeddedEventLoop.advanceTime(by: .seconds(15))
        #expect(!channel.isActive)
    }

    @Test func aConnectionBetweenRequestsLivesLongerThanAHead() throws {
        let channel = try connect()
        #expect(try channel.exchange(TestServer.request())?.status == 200)
        channel.embeddedEventLoop.advanceTime(by: .seconds(50))
        #expect(channel.isActive)
        #expect(try channel.exchange(TestServer.request())?.status == 200)
        channel.embeddedEventLoop.advanceTime(by: .seconds(70))
        #expect(!channel.isActive)
    }

    @Test func aResponseThatWaitsForTheOriginIsNotCutOff() throws {
        let waiting = FakeSource([1, 2, 3], available: 1)
        let channel = try TestServer.connect(TestServer.context(waiting))
        try channel.send(TestServer.request())
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        channel.isWritable = false
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        #expect(!channel.isActive)
    }

    @Test func aHeadThatIsTooLongIsRefused() throws {
        let channel = try connect()
        let response = try channel.exchange(TestServer.request("GET", "X: " + String(repeating: "x", count: 40_000)))
        #expect(response?.status == 431)
        #expect(!channel.isActive)
    }

    @Test func aBodyThatIsTooLongIsRefused() throws {
        let channel = try connect()
        let head = "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n"
        #expect(try channel.exchange(head)?.status == 413)
        #expect(!channel.isActive)
        let unannounced = try connect()
        try unannounced.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<17 {
            guard unannounced.isActive else { break }
            try unannounced.send("10000\r\n" + String(repeating: "x", count: 0x10000) + "\r\n")
        }
        #expect(RawResponse(try unannounced.received())?.status == 413)
        #expect(!unannounced.isActive)
    }

    @Test func aRouteWithAKeyNeedsIt() throws {
        #expect(try connect().exchange("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n")?.status == 401)
        let wrong = "GET /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(AccessKey().value)\r\n\r\n"
        #expect(try connect().exchange(wrong)?.status == 401)
        #expect(try connect().exchange("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")?.status == 404)
    }

    @Test func drainingEndsIdleConnectionsAtOnceAndOthersAfterTheirResponse() throws {
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
}
