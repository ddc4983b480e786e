import HLS
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// A recorder of a stream whose server blocks playlist reloads and sends delta updates (RFC 8216bis §6.2.5).
@Suite(.timeLimit(.minutes(20)))
struct DeliveryDirectiveTests {
    /// What a server announces, and the directives that it's asked with.
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
            // A recording has no use for partial segments: it's asked once per segment.
            Server(
                tags: "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=36,PART-HOLD-BACK=6\n"
                    + "#EXT-X-PART-INF:PART-TARGET=2", skip: .segments),
        ]

        static let full = all[2]
    }

    private func fixture(_ server: Server) async throws -> RecordingFixture {
        let live = LiveOrigin()
        live.window = 12
        live.definitions.media = server.tags
        let fixture = RecordingFixture(live)
        live.publish()
        try await fixture.open()
        try await fixture.pass(100)
        return fixture
    }

    /// The directives of each request for a track's playlist, in order.
    private func directives(_ fixture: RecordingFixture, _ folder: String = "v1") -> [DeliveryDirectives] {
        let playlist = fixture.live.playlist(folder).description
        return fixture.live.library.origin.requests.map(\.url.description)
            .filter { DeliveryDirectives.removed(from: $0) == playlist }.map { DeliveryDirectives(url: $0) }
    }

    @Test(arguments: Server.all) func asksAsTheServerAnnounces(server: Server) async throws {
        let fixture = try await fixture(server)
        try await fixture.record()
        // The first load is over before time goes on.
        await fixture.settle()
        let first = fixture.live.next
        try await fixture.pass(120)
        for folder in ["v1", "a1"] {
            let asked = directives(fixture, folder)
            #expect(asked.first?.isEmpty == true, "the whole playlist comes first")
            #expect(asked.dropFirst().allSatisfy { $0.skip == server.skip && $0.part == nil })
            if server.isBlocking {
                // One request for each segment, made before that is there.
                #expect(asked.dropFirst().map(\.mediaSequence) == (first...fixture.live.next).map { $0 })
                #expect(fixture.live.held == 2)
            } else {
                #expect(asked.allSatisfy { $0.mediaSequence == nil })
            }
        }
        try await fixture.check { _ in true }
        try await fixture.check("audio-1", in: "a1") { _ in true }
        #expect(try await fixture.gapCount() == 0)
        await fixture.close()
    }

    /// The origin is away while two segments come; the delta update that follows leaves out the first of them.
    @Test func loadsTheWholePlaylistAfterADeltaUpdateThatSkipsTooMuch() async throws {
        let fixture = try await fixture(.full)
        try await fixture.record()
        try await fixture.pass(30)
        fixture.live.directives = .skippingTooMuch
        fixture.live.library.origin.isReachable = false
        try await fixture.pass(15)
        fixture.live.library.origin.isReachable = true
        try await fixture.pass(30)
        let asked = directives(fixture)
        #expect(asked.count(where: \.isEmpty) == 2)
        let whole = try #require(asked.lastIndex { $0.isEmpty })
        #expect(asked[whole - 1].skip == .segments)
        try await fixture.check { _ in true }
        try await fixture.check("audio-1", in: "a1") { _ in true }
        #expect(try await fixture.gapCount() == 0)
        await fixture.close()
    }

    /// A delta update isn't asked for when too much may be left out: half of the skip boundary is 18 s.
    @Test func asksForNoDeltaUpdateAfterALongOutage() async throws {
        let fixture = try await fixture(.full)
        try await fixture.record()
        try await fixture.pass(30)
        fixture.live.library.origin.isReachable = false
        try await fixture.pass(40)
        let before = directives(fixture).count
        fixture.live.library.origin.isReachable = true
        try await fixture.pass(30)
        let asked = directives(fixture).dropFirst(before)
        #expect(asked.first?.skip == nil && asked.first?.mediaSequence != nil)
        #expect(asked.dropFirst().allSatisfy { $0.skip == .segments })
        try await fixture.check { _ in true }
        #expect(try await fixture.gapCount() == 0)
        await fixture.close()
    }

    /// A server that announces blocking reloads and answers at once, with a tag that changes each time.
    @Test func reloadsAtOnceOnlyAfterNewSegments() async throws {
        let fixture = try await fixture(.all[0])
        fixture.live.directives = .answeredAtOnce
        try await fixture.record()
        // The first load is over before time goes on.
        await fixture.settle()
        let first = fixture.live.next
        for count in 0..<240 {
            fixture.live.definitions.media = Server.all[0].tags + "\n#EXT-X-COUNTER:\(count)"
            try await fixture.pass(0.5)
        }
        let (segments, requests) = (fixture.live.next - first, directives(fixture).count)
        #expect(segments >= 19)
        #expect(requests <= 3 * segments, "\(requests) requests for \(segments) segments")
        try await fixture.check { _ in true }
        #expect(try await fixture.gapCount() == 0)
        await fixture.close()
    }

    /// A server that announces directives and answers 400 to them, for a while or always.
    @Test(arguments: [true, false]) func loadsTheWholePlaylistWhereDirectivesAreRefused(forGood: Bool) async throws {
        let fixture = try await fixture(.full)
        fixture.live.directives = .refused
        try await fixture.record()
        // The first load is over before time goes on.
        await fixture.settle()
        let first = fixture.live.next
        try await fixture.pass(120)
        #expect(await (try fixture.recording).state == .recording)
        try await fixture.check { _ in true }
        #expect(try await fixture.gapCount() == 0)
        // No more requests than of a server without directives, and one that is refused for each segment.
        let segments = fixture.live.next - first
        let asked = directives(fixture)
        #expect(asked.count { !$0.isEmpty } <= segments + 2, "\(asked.count) requests for \(segments) segments")
        #expect(asked.count(where: \.isEmpty) <= 2 * segments + 2, "\(asked.count) requests for \(segments) segments")
        if !forGood {
            fixture.live.directives = .honoured
            try await fixture.pass(60)
            #expect(fixture.live.held == 2)
            try await fixture.check { _ in true }
            #expect(try await fixture.gapCount() == 0)
        }
        await fixture.close()
    }
}
