import Foundation
import MediaCache
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaLibrary

/// What is under way when a recording's time is over, on a disk that takes its time.
@Suite(.timeLimit(.minutes(20)))
struct RecordingEndTests {
    /// Holds the writing of a track's pages up.
    private final class PageHold: Sendable {
        private let state = Mutex((isArmed: false, isReached: false))
        private let released = DispatchSemaphore(value: 0)

        /// Holds the next one.
        func arm() { state.withLock { $0 = (true, false) } }

        var isReached: Bool { state.withLock { $0.isReached } }

        func release() { released.signal() }

        func pass(_ moment: HookedFileSystem.Moment, _ path: String) {
            guard case .replacing = moment, path.contains("video-1."), path.contains(".page") else { return }
            let isHeld = state.withLock { state in
                guard state.isArmed else { return false }
                state = (false, true)
                return true
            }
            if isHeld { released.wait() }
        }
    }

    private func fixture(_ hold: PageHold) async throws -> RecordingFixture {
        let fixture = RecordingFixture(LiveOrigin(files: HookedFileSystem { hold.pass($0, $1) }))
        fixture.live.publish()
        try await fixture.open()
        return fixture
    }

    /// Time goes on until something is so, as slowly as the disk needs it, though something hangs.
    private func pass(_ fixture: RecordingFixture, until condition: () async throws -> Bool) async throws {
        fixture.isHanging = true
        defer { fixture.isHanging = false }
        for _ in 0..<60 {
            for _ in 0..<100 {
                if try await condition() { return }
                for _ in 0..<100 { await Task.yield() }
            }
            try await fixture.pass(0.5)
        }
        Issue.record("it didn't come so far in 30 s")
    }

    /// What a playlist named is in no list of what is awaited before the disk has it: the end waits for it too.
    @Test func whatIsBeingTakenDownComesBeforeTheEnd() async throws {
        let hold = PageHold()
        // A test that fails ends, too.
        defer { hold.release() }
        let fixture = try await fixture(hold)
        try await fixture.record()
        try await fixture.pass(60)
        hold.arm()
        try await pass(fixture) { hold.isReached }
        let url = fixture.live.segment(fixture.live.next - 1)
        try await (try fixture.recording).setEnd()
        let later = fixture.live.library.time.monotonic + .seconds(3)
        try await pass(fixture) { fixture.live.library.time.monotonic >= later }
        #expect(await (try fixture.recording).state == .recording)
        hold.release()
        try await fixture.pass(atMost: 10) { await (try fixture.recording).state == .ended }
        try await fixture.check(through: url)
        #expect(try await fixture.gapCount() == 0)
        #expect(try await fixture.rows("video-1").last?.url == url.description)
        await fixture.close()
    }

    /// A rendition's last playlist has no EXT-X-ENDLIST: the recording ends when it hasn't changed for long.
    @Test(arguments: ["a1", "v1"]) func itEndsWithATrackThatOnlyStops(folder: String) async throws {
        let live = LiveOrigin()
        let fixture = RecordingFixture(live)
        live.publish()
        try await fixture.open()
        try await fixture.record()
        try await fixture.pass(60)
        live.hasEndList = true
        live.publish()
        live.serve(live.text(folder).replacing("#EXT-X-ENDLIST\n", with: ""), folder)
        try await fixture.pass(50)
        #expect(await (try fixture.recording).state != .ended)
        try await fixture.pass(atMost: 40) { await (try fixture.recording).state == .ended }
        try await fixture.check { _ in true }
        #expect(try await fixture.gapCount() == 0)
        await fixture.close()
    }

    /// Nobody is told that it's over before what was lost is in the timeline.
    @Test func itIsOverWhenItIsKnownWhatWasLost() async throws {
        let hold = PageHold()
        // A test that fails ends, too.
        defer { hold.release() }
        let fixture = try await fixture(hold)
        try await fixture.record()
        try await fixture.pass(60)
        let gate = ScriptedGate()
        let url = fixture.live.segment(fixture.live.next)
        fixture.live.library.origin.always(url, .holdHead(gate))
        try await pass(fixture) {
            try await fixture.rows("video-1").contains { $0.state == .awaited && $0.url == url.description }
        }
        try await (try fixture.recording).setEnd()
        hold.arm()
        try await pass(fixture) { hold.isReached }
        #expect(await (try fixture.recording).state == .recording)
        hold.release()
        try await pass(fixture) { await (try fixture.recording).state != .recording }
        let status = await (try fixture.recording).status()
        #expect(status.state == .ended && status.gaps == 1)
        gate.open()
        await fixture.close()
        try await fixture.open()
        #expect(try await fixture.gapCount() == 1)
        #expect(try await fixture.rows("video-1").allSatisfy { $0.state != .awaited })
        await fixture.close()
    }
}
