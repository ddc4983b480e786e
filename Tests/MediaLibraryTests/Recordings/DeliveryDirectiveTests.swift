import HLS
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// Tests of recording from servers that support blocking playlist reloads and delta updates (RFC 8216bis §6.2.5).
@Suite(.timeLimit(.minutes(20)))
struct DeliveryDirectiveTests {
    /// The capabilities that a server announces, and the directives expected in requests.
    struct Server: CustomTestStringConvertible {
        var tags: String
        var isBlocking = true
        var skip: DeliveryDirectives.Skip?

        var testDescription: String { tags }

        static let all = [
            Server(tags: "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES"),
            Server(tags: "#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=36", isBlocking: false, skip: .segments),
            Server(tags: "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=36", skip: .segments),
            Server(
                tags: "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=36,CAN-SKIP-DATERANGES=YES",
                skip: .segmentsAndDateRanges),
            // A recording doesn't use partial segments, so it sends one request per segment.
            Server(
                tags: "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=36,PART-HOLD-BACK=6\n"
                    + "#EXT-X-PART-INF:PART-TARGET=2", skip: .segments),
        ]

        static let full = all[2]
    }

    private func fixture(_ server: Server) async throws -> RecordingFixture {
        let fixture = try await RecordingFixture.opened { live in
            live.window = 12
            live.definitions.media = server.tags
        }
        try await fixture.pass(100)
        return fixture
    }

    /// Returns the directives of all requests for a track's playlist, in order.
    private func directives(_ fixture: RecordingFixture, _ folder: String = "v1") -> [DeliveryDirectives] {
        let playlist = fixture.live.playlist(folder).description
        return fixture.live.library.origin.requests.map(\.url.description)
            .filter { DeliveryDirectives.removed(from: $0) == playlist }.map { DeliveryDirectives(url: $0) }
    }

    @Test(arguments: Server.all) func usesAnnouncedDirectives(server: Server) async throws {
        let fixture = try await fixture(server)
        try await fixture.record()
        // The first load must end before time passes.
        await fixture.settle()
        let first = fixture.live.next
        try await fixture.pass(120)
        for folder in ["v1", "a1"] {
            let requested = directives(fixture, folder)
            #expect(requested.first?.isEmpty == true, "the first request must be for the whole playlist")
            #expect(requested.dropFirst().allSatisfy { $0.skip == server.skip && $0.part == nil })
            if server.isBlocking {
                // There is one request for each segment, sent before the segment is available.
                #expect(requested.dropFirst().map(\.mediaSequence) == (first...fixture.live.next).map { $0 })
                #expect(fixture.live.held == 2)
            } else {
                #expect(requested.allSatisfy { $0.mediaSequence == nil })
            }
        }
        try await fixture.checkComplete()
        try await fixture.check("audio-1", in: "a1") { _ in true }
        await fixture.close()
    }

    /// While a request waits for the next segment, the origin becomes unavailable, until two more segments have
    /// appeared. The next delta update skips the first of the two.
    @Test func loadsWholePlaylistAfterDeltaUpdateThatSkipsTooMuch() async throws {
        let fixture = try await fixture(.full)
        try await fixture.record()
        try await fixture.pass(30)
        fixture.live.directives = .excessiveSkip
        fixture.live.library.origin.isReachable = false
        try await fixture.pass(15)
        fixture.live.library.origin.isReachable = true
        try await fixture.pass(30)
        let requested = directives(fixture)
        #expect(requested.count(where: \.isEmpty) == 2)
        let whole = try #require(requested.lastIndex { $0.isEmpty })
        #expect(requested[whole - 1].skip == .segments)
        try await fixture.checkComplete()
        try await fixture.check("audio-1", in: "a1") { _ in true }
        await fixture.close()
    }

    /// No delta update is requested when the known playlist is older than half of the skip boundary, 18 s.
    @Test func requestsNoDeltaUpdateAfterLongOutage() async throws {
        let fixture = try await fixture(.full)
        try await fixture.record()
        try await fixture.pass(30)
        fixture.live.library.origin.isReachable = false
        try await fixture.pass(40)
        let before = directives(fixture).count
        fixture.live.library.origin.isReachable = true
        try await fixture.pass(30)
        let requested = directives(fixture).dropFirst(before)
        #expect(requested.first?.skip == nil && requested.first?.mediaSequence != nil)
        #expect(requested.dropFirst().allSatisfy { $0.skip == .segments })
        try await fixture.checkComplete()
        await fixture.close()
    }

    /// The server announces blocking reloads but responds immediately, with a tag that changes each time.
    @Test func reloadsImmediatelyOnlyAfterNewSegments() async throws {
        let fixture = try await fixture(.all[0])
        fixture.live.directives = .immediateResponse
        try await fixture.record()
        await fixture.settle()
        let first = fixture.live.next
        for count in 0..<240 {
            fixture.live.definitions.media = Server.all[0].tags + "\n#EXT-X-COUNTER:\(count)"
            try await fixture.pass(0.5)
        }
        let (segments, requests) = (fixture.live.next - first, directives(fixture).count)
        #expect(segments >= 19)
        #expect(requests <= 3 * segments, "\(requests) requests for \(segments) segments")
        try await fixture.checkComplete()
        await fixture.close()
    }

    /// The server announces directives but responds to them with 400, either temporarily or always.
    @Test(arguments: [true, false]) func loadsWholePlaylistWhenDirectivesAreRefused(forGood: Bool) async throws {
        let fixture = try await fixture(.full)
        fixture.live.directives = .refused
        try await fixture.record()
        await fixture.settle()
        let first = fixture.live.next
        try await fixture.pass(120)
        #expect(await (try fixture.recording).state == .recording)
        try await fixture.checkComplete()
        // There are as many requests as without directives, plus one refused request per segment.
        let segments = fixture.live.next - first
        let requested = directives(fixture)
        #expect(requested.count { !$0.isEmpty } <= segments + 2, "\(requested.count) requests for \(segments) segments")
        #expect(
            requested.count(where: \.isEmpty) <= 2 * segments + 2,
            "\(requested.count) requests for \(segments) segments")
        if !forGood {
            fixture.live.directives = .honored
            try await fixture.pass(60)
            #expect(fixture.live.held == 2)
            try await fixture.checkComplete()
        }
        await fixture.close()
    }
}
