import Foundation
import Synchronization
import Testing

@testable import MediaCache

/// Tests of a representation's decisions, without a store.
struct RepresentationStateTests {
    private static let readAhead = ReadAhead(initial: 1 << 20, maximum: 8 << 20)

    private func state(ignoresRanges: Bool = false) -> RepresentationState {
        RepresentationState(
            head: ResourceHead(
                length: 100_000_000, contentType: "video/mp4", validator: Validator(entityTag: "\"1\""),
                validatedAt: Date(timeIntervalSince1970: 0), entityTag: "\"1\""),
            freshness: Freshness(), ignoresRanges: ignoresRanges)
    }

    private func advance(
        _ state: inout RepresentationState, at position: Int64, session: Int, work: inout RepresentationState.Work,
        wake: @escaping @Sendable () -> Void = {}
    ) -> RepresentationState.AdvanceResult {
        var window = Self.readAhead.initial
        return state.advance(
            session, position: position, end: 100_000_000, window: &window, readAhead: Self.readAhead,
            transferClass: .playback, work: &work, wake: wake)
    }

    /// A reader waits for a byte that a fast fill is expected to reach. The origin slows down, and another reader
    /// starts a fill that begins and ends before that byte.
    @Test func wakesReaderWhoseFillEndsBeforeItsPosition() {
        var state = state()
        state.rate.add(bytes: 100 << 20, in: .seconds(1))
        state.rate.add(latency: .seconds(100))
        var wakes: [@Sendable () -> Void] = []
        let fill = state.begin(0..<50_000_000, transferClass: .playback, wakes: &wakes)
        #expect(wakes.isEmpty)
        let isWoken = Mutex(false)
        let (patient, _) = state.attach(at: 40_000_000, readAhead: Self.readAhead)
        var work = RepresentationState.Work()
        let answer = advance(&state, at: 40_000_000, session: patient, work: &work) {
            isWoken.withLock { $0 = true }
        }
        guard case .wait = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(work.plans.isEmpty)
        for _ in 0..<100 {
            state.rate.add(bytes: 1, in: .seconds(1))
            state.rate.add(latency: .zero)
        }
        let (other, _) = state.attach(at: 20_000_000, readAhead: Self.readAhead)
        work = RepresentationState.Work()
        _ = advance(&state, at: 20_000_000, session: other, work: &work)
        #expect(work.plans.map(\.range) == [20_000_000..<20_000_000 + 1 << 20])
        #expect(state.fills[fill.id]?.limit == 20_000_000)
        for wake in work.wakes { wake() }
        #expect(isWoken.withLock { $0 })
        // The reader plans another fill.
        work = RepresentationState.Work()
        _ = advance(&state, at: 40_000_000, session: patient, work: &work)
        #expect(work.plans.map(\.range.lowerBound) == [40_000_000])
    }

    private final class Token: Sendable {}

    /// Releasing a wake function may acquire another lock, for example to end a playback shortage, so it must happen
    /// outside the state's lock.
    @Test(arguments: [false, true])
    func releasesWakeOutsideLock(bySeeking: Bool) {
        var state = state()
        let (session, _) = state.attach(at: 0, readAhead: Self.readAhead)
        var work = RepresentationState.Work()
        weak var token: Token?
        do {
            let owned = Token()
            token = owned
            _ = advance(&state, at: 0, session: session, work: &work) { withExtendedLifetime(owned) {} }
        }
        work = RepresentationState.Work()
        if bySeeking {
            work.calls = state.leaveFills(session)
        } else {
            _ = advance(&state, at: 0, session: session, work: &work)
        }
        #expect(token != nil)
        work = RepresentationState.Work()
        #expect(token == nil)
    }
}
