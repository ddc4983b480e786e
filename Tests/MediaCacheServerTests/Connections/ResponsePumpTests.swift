import MediaCache
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import MediaCacheServer

struct ResponsePumpTests {
    private static let media = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 5) }

    @Test func theHeadWaitsForTheFirstByteSoThatAFailureHasAStatus() throws {
        let source = FakeSource(Self.media, available: 0)
        let channel = try TestServer.connect(TestServer.context(source))
        try channel.send(TestServer.request())
        #expect(try channel.received().isEmpty)
        source.readers[0].advance(to: 0, error: CacheError(.unreachable, "the origin is down"))
        let response = try #require(RawResponse(try channel.received()))
        #expect(response.status == 502)
        #expect(response.fields["content-type"] == "application/problem+json")
        #expect(channel.isActive)
    }

    @Test func bytesAreSentAsTheyArrive() throws {
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

    @Test func aFailureInMidBodyClosesTheConnectionBeforeTheEnd() throws {
        let source = FakeSource(Self.media, available: 1000)
        let channel = try TestServer.connect(TestServer.context(source))
        let response = try #require(try channel.exchange(TestServer.request()))
        #expect(response.fields["content-length"] == "3000000")
        source.readers[0].advance(to: 0, error: CacheError(.timedOut, "the origin stalls"))
        #expect(try channel.received().isEmpty)
        #expect(!channel.isActive)
    }

    @Test func nothingIsReadWhileTheClientTakesNothing() throws {
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

    @Test func aClientThatLeavesEndsTheReader() throws {
        let source = FakeSource(Self.media, available: 1000)
        let channel = try TestServer.connect(TestServer.context(source))
        try channel.send(TestServer.request())
        #expect(!source.readers[0].isCancelled)
        channel.pipeline.fireChannelInactive()
        #expect(source.readers[0].isCancelled)
    }

    @Test func aBlobThatCannotBeReadOnceIsReadAgain() throws {
        let source = FakeSource(Self.media, readFailures: 2)
        let channel = try TestServer.connect(TestServer.context(source))
        let response = try #require(try channel.exchange(TestServer.request()))
        #expect(response.body == Self.media)
        #expect(source.readers[0].state.withLock { $0.failedReads } == 2)
    }

    @Test func aBlobThatStaysUnreadableIsAnError() throws {
        let source = FakeSource(Self.media, readFailures: 100)
        let channel = try TestServer.connect(TestServer.context(source))
        let response = try #require(try channel.exchange(TestServer.request()))
        #expect(response.status == 500)
    }

    @Test func pipelinedRequestsAreAnsweredInOrderHoweverMany() throws {
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
}
