import HTTPTypes
import MediaCache
import MediaCacheCurl
import NIOCore
import Synchronization
import Testing

@testable import MediaCacheCLI

struct DemoOriginTests {
    private static let clip = ByteBuffer(bytes: (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    private func get(_ url: String, _ fields: HTTPFields = [:]) async throws -> (OriginResponse, [UInt8]) {
        // Deallocating the origin would cancel the request.
        let origin = CurlOrigin()
        defer { withExtendedLifetime(origin) {} }
        let response = try await origin.send(OriginRequest(url: ResourceURL(url), headerFields: fields))
        var bytes: [UInt8] = []
        while let buffer = try await response.body.next() { buffer.withUnsafeBytes { bytes += $0 } }
        return (response, bytes)
    }

    @Test func sendsAndCountsClip() async throws {
        let origin = try await DemoOrigin.start(port: 0, clip: Self.clip, bytesPerSecond: 10_000_000)
        let (response, bytes) = try await get(origin.clipURL)
        #expect(response.status == 200)
        #expect(bytes == Array(Self.clip.readableBytesView))
        #expect(origin.counts.bytesSent == 5000)
        #expect(origin.counts.requests == 1)
        #expect(origin.counts.running == 0)
        await origin.stop()
    }

    @Test func ignoresRangeForOtherRepresentation() async throws {
        let origin = try await DemoOrigin.start(port: 0, clip: Self.clip, bytesPerSecond: 10_000_000)
        let (part, bytes) = try await get(origin.clipURL, [.range: "bytes=100-199"])
        #expect(part.status == 206)
        #expect(part.headerFields[.contentRange] == "bytes 100-199/5000")
        #expect(bytes == Array(Self.clip.readableBytesView)[100..<200].map(\.self))
        let tag = try #require(part.headerFields[.eTag])
        let (same, _) = try await get(origin.clipURL, [.range: "bytes=0-0", .ifRange: tag])
        #expect(same.status == 206)
        let (other, whole) = try await get(origin.clipURL, [.range: "bytes=0-0", .ifRange: "\"other\""])
        #expect(other.status == 200)
        #expect(whole.count == 5000)
        await origin.stop()
    }

    @Test func rejectsOtherRequests() async throws {
        let origin = try await DemoOrigin.start(port: 0, clip: Self.clip, bytesPerSecond: 10_000_000)
        let (missing, _) = try await get("http://127.0.0.1:\(origin.port)/else")
        #expect(missing.status == 404)
        let (past, _) = try await get(origin.clipURL, [.range: "bytes=5000-"])
        #expect(past.status == 416)
        #expect(past.headerFields[.contentRange] == "bytes */5000")
        #expect(origin.counts.bytesSent == 0)
        await origin.stop()
    }

    @Test func respondsNotModifiedToMatchingEntityTag() async throws {
        let origin = try await DemoOrigin.start(port: 0, clip: Self.clip, bytesPerSecond: 10_000_000)
        let (head, _) = try await get(origin.clipURL, [.range: "bytes=0-0"])
        let tag = try #require(head.headerFields[.eTag])
        let (response, bytes) = try await get(origin.clipURL, [.ifNoneMatch: tag])
        #expect(response.status == 304)
        #expect(bytes.isEmpty)
        #expect(origin.counts.bytesSent == 1)
        await origin.stop()
    }

    @Test func reportsPortInUse() async throws {
        let origin = try await DemoOrigin.start(port: 0, clip: Self.clip, bytesPerSecond: 1)
        let failure = await #expect(throws: CommandFailure.self) {
            try await DemoOrigin.start(port: origin.port, clip: Self.clip, bytesPerSecond: 1)
        }
        #expect(failure?.message.contains("127.0.0.1:\(origin.port)") == true)
        await origin.stop()
    }

    @Test func responsesShareRate() {
        let state = DemoOriginState(clip: Self.clip, bytesPerSecond: 600_000)
        #expect(state.share() == 30_000)
        state.counts.withLock { $0.running = 3 }
        #expect(state.share() == 10_000)
    }

    @Test func entityTagDependsOnBytes() {
        let one = DemoOriginState(clip: ByteBuffer(string: "one"), bytesPerSecond: 1).entityTag
        #expect(one == DemoOriginState(clip: ByteBuffer(string: "one"), bytesPerSecond: 9).entityTag)
        #expect(one != DemoOriginState(clip: ByteBuffer(string: "two"), bytesPerSecond: 1).entityTag)
    }
}
