import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaCache

struct TransferSchedulerTests {
    @Test func appliesLimitsAndOrderOfClasses() async throws {
        let scheduler = TransferScheduler(limits: .init(total: 1, perHost: 1, playbackReserve: 0))
        let running = scheduler.ticket(host: "a", transferClass: .download)
        try await running.admission()
        let admitted = Admitted()
        let classes: [TransferClass] = [.background, .download, .preload, .playback]
        let tasks = classes.map { transferClass in
            Task {
                let ticket = scheduler.ticket(host: "a", transferClass: transferClass)
                try await ticket.admission()
                admitted.order.withLock { $0.append(transferClass) }
                ticket.release()
            }
        }
        while scheduler.waitingCount < 4 { await Task.yield() }
        #expect(admitted.order.withLock { $0.isEmpty })
        running.release()
        for task in tasks { try await task.value }
        #expect(admitted.order.withLock { $0 } == [.playback, .preload, .download, .background])
    }

    @Test func appliesLimitPerHostAndPlaybackReserve() async throws {
        let scheduler = TransferScheduler(limits: .init(total: 3, perHost: 1, playbackReserve: 1))
        let first = scheduler.ticket(host: "a", transferClass: .download)
        try await first.admission()
        let other = scheduler.ticket(host: "b", transferClass: .download)
        try await other.admission()
        let playing = scheduler.ticket(host: "a", transferClass: .playback)
        try await playing.admission()
        let waiting = scheduler.ticket(host: "a", transferClass: .download)
        let admission = Task { try await waiting.admission() }
        while scheduler.waitingCount < 1 { await Task.yield() }
        playing.release()
        #expect(scheduler.waitingCount == 1)
        first.release()
        try await admission.value
        #expect(scheduler.waitingCount == 0)
    }

    @Test func removesCancelledTicketFromQueue() async throws {
        let scheduler = TransferScheduler(limits: .init(total: 1, perHost: 1, playbackReserve: 0))
        let running = scheduler.ticket(host: "a", transferClass: .playback)
        try await running.admission()
        let cancelled = Task { try await scheduler.ticket(host: "a", transferClass: .playback).admission() }
        while scheduler.waitingCount < 1 { await Task.yield() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        running.release()
        running.release()
        let next = scheduler.ticket(host: "a", transferClass: .background)
        try await next.admission()
        #expect(scheduler.waitingCount == 0)
    }

    @Test func admitsRaisedTicketFirst() async throws {
        let scheduler = TransferScheduler(limits: .init(total: 1, perHost: 1, playbackReserve: 1))
        let running = scheduler.ticket(host: "a", transferClass: .download)
        try await running.admission()
        let ticket = scheduler.ticket(host: "a", transferClass: .background)
        let admission = Task { try await ticket.admission() }
        while scheduler.waitingCount < 1 { await Task.yield() }
        ticket.follow { .playback }
        try await admission.value
        #expect(scheduler.waitingCount == 0)
    }

    /// A class may change while it is being applied, and the ticket may pass to another owner meanwhile.
    @Test func usesClassOfLatestSource() async throws {
        let scheduler = TransferScheduler(limits: .init(total: 1, perHost: 1, playbackReserve: 0))
        let ticket = scheduler.ticket(host: "a", transferClass: .background)
        let calls = Mutex(0)
        ticket.follow {
            let isFirst = calls.withLock { calls in
                calls += 1
                return calls == 1
            }
            // The next owner takes over the ticket before this value is applied.
            if isFirst { ticket.follow { .preload } }
            return .playback
        }
        #expect(ticket.transferClass == .preload)
        #expect(calls.withLock { $0 } == 1)
    }

    /// A source reads its owner's state under the owner's lock, so the scheduler must hold no lock.
    @Test func callsSourceOutsideLocks() async throws {
        let scheduler = TransferScheduler()
        let ticket = scheduler.ticket(host: "a", transferClass: .download)
        ticket.follow { [weak ticket] in ticket.map { max($0.transferClass, .preload) } }
        #expect(ticket.transferClass == .preload)
        #expect(scheduler.waitingCount == 0)
    }

    @Test func admitsLoweredTicketLater() async throws {
        let scheduler = TransferScheduler(limits: .init(total: 1, perHost: 1, playbackReserve: 0))
        let running = scheduler.ticket(host: "a", transferClass: .download)
        try await running.admission()
        let falling = scheduler.ticket(host: "a", transferClass: .playback)
        let other = scheduler.ticket(host: "a", transferClass: .preload)
        let admissions = [falling, other].map { ticket in Task { try await ticket.admission() } }
        while scheduler.waitingCount < 2 { await Task.yield() }
        falling.follow { .download }
        running.release()
        try await admissions[1].value
        #expect(scheduler.waitingCount == 1)
        other.release()
        try await admissions[0].value
    }

    /// An abandoned transfer yields its slot to one of a higher class.
    @Test func preemptsAbandonedTransfer() async throws {
        let scheduler = TransferScheduler(limits: .init(total: 3, perHost: 1, playbackReserve: 0))
        let abandoned = Mutex<Set<String>>(["a", "b"])
        let ended = Mutex<[String]>([])
        var running: [TransferScheduler.Ticket] = []
        for host in ["a", "b", "c"] {
            let ticket = scheduler.ticket(host: host, transferClass: .background)
            ticket.follow({ .background }) {
                guard abandoned.withLock({ $0.contains(host) }) else { return false }
                ended.withLock { $0.append(host) }
                return true
            }
            try await ticket.admission()
            running.append(ticket)
        }
        let equal = scheduler.ticket(host: "a", transferClass: .background)
        let waiting = Task { try await equal.admission() }
        while scheduler.waitingCount == 0 { await Task.yield() }
        #expect(ended.withLock(\.self).isEmpty)
        equal.release()
        _ = try? await waiting.value
        let seek = scheduler.ticket(host: "a", transferClass: .playback)
        try await seek.admission()
        #expect(ended.withLock(\.self) == ["a"])
        // A transfer that a reader still needs uses the slot at this host.
        let other = scheduler.ticket(host: "c", transferClass: .playback)
        let blocked = Task { try await other.admission() }
        while scheduler.waitingCount == 0 { await Task.yield() }
        #expect(ended.withLock(\.self) == ["a"])
        // The total limit is reached, so a slot at any host can be freed.
        let third = scheduler.ticket(host: "d", transferClass: .download)
        try await third.admission()
        #expect(ended.withLock(\.self) == ["a", "b"])
        other.release()
        _ = try? await blocked.value
        for ticket in running + [seek, third] { ticket.release() }
        #expect(scheduler.isIdle)
    }

    /// The reserve is for playback only. A transfer that is no longer playback must release its slot.
    @Test func loweredTicketReleasesReservedSlot() async throws {
        let scheduler = TransferScheduler(limits: .init(total: 1, perHost: 1, playbackReserve: 1))
        let download = scheduler.ticket(host: "a", transferClass: .download)
        let playing = scheduler.ticket(host: "a", transferClass: .playback)
        for ticket in [download, playing] { try await ticket.admission() }
        let next = scheduler.ticket(host: "a", transferClass: .playback)
        let admission = Task { try await next.admission() }
        while scheduler.waitingCount < 1 { await Task.yield() }
        playing.follow { .download }
        try await admission.value
        #expect(!playing.isAdmittedNow())
        #expect(download.isAdmittedNow())
        download.release()
        #expect(!playing.isAdmittedNow())
        next.release()
        #expect(playing.isAdmittedNow())
    }

    @Test func appliesGroupChangesToWaitingTransfers() async throws {
        let scheduler = TransferScheduler(limits: .init(total: 8, perHost: 8, playbackReserve: 0))
        let group = TransferGroup(name: "asset", limit: 1)
        let tickets = (0..<3).map { _ in scheduler.ticket(host: "a", transferClass: .download, group: group) }
        try await tickets[0].admission()
        let admissions = tickets[1...].map { ticket in Task { try await ticket.admission() } }
        while scheduler.waitingCount < 2 { await Task.yield() }
        group.limit = 2
        #expect(scheduler.waitingCount == 1)
        scheduler.updateLimits { $0.total = 2 }
        group.limit = nil
        #expect(scheduler.waitingCount == 1)
        scheduler.updateLimits { $0.total = 3 }
        for admission in admissions { try await admission.value }
        for ticket in tickets { ticket.release() }
        #expect(scheduler.isIdle)
    }

    /// Returns the order of requests when a download and a player both request `first`, and the player leaves before
    /// its turn.
    private func order(whenKnown isKnown: Bool) async throws -> [ResourceURL] {
        let fixture = try EngineFixture()
        let gate = ScriptedGate()
        let urls = try ["busy", "first", "second"].map { try ResourceURL("http://origin.example/\($0).mp4") }
        for url in urls { fixture.origin[url] = ScriptedResource(.random(seed: 1, length: 3_000_000)) }
        let store = try await fixture.open { $0.scheduling = .init(total: 1, perHost: 1, playbackReserve: 0) }
        if isKnown {
            _ = try await store.bytes(urls[1], .closed(0, through: 9))
            await store.settled { $0.statistics.runningFills == 0 }
        }
        fixture.origin.always(urls[0], .holdHead(gate))
        let known = fixture.origin.requests.count
        let range = RequestedRange.closed(2_000_000, through: 2_000_099)
        @Sendable func reading(_ url: ResourceURL, _ transferClass: TransferClass) -> Task<[UInt8], any Error> {
            Task { try await store.bytes(ReadRequest(url: url, range: range, transferClass: transferClass)) }
        }
        let busy = reading(urls[0], .playback)
        await gate.waitForArrivals()
        let patient = reading(urls[1], .download)
        while store.engine.scheduler.waitingCount < 1 { await Task.yield() }
        let urgent = reading(urls[1], .playback)
        for _ in 0..<200 { await Task.yield() }
        let other = reading(urls[2], .preload)
        while store.engine.scheduler.waitingCount < 2 { await Task.yield() }
        urgent.cancel()
        _ = try? await urgent.value
        gate.open()
        for task in [busy, patient, other] { #expect(try await task.value.count == 100) }
        await store.close()
        return fixture.origin.requests.dropFirst(known).map(\.url)
    }

    @Test(arguments: [false, true])
    func queuesAbandonedSharedRequestAsDownload(isKnown: Bool) async throws {
        let order = try await order(whenKnown: isKnown)
        #expect(order.map { $0.description.split(separator: "/").last } == ["busy.mp4", "second.mp4", "first.mp4"])
    }

    /// The first requests of many downloads respect the limits, too.
    @Test func appliesLimitsToFirstRequests() async throws {
        let fixture = try EngineFixture()
        let gate = ScriptedGate()
        let urls = try (0..<10).map { try ResourceURL("http://origin.example/\($0).mp4") }
        for url in urls {
            fixture.origin[url] = ScriptedResource(.random(seed: 1, length: 5000))
            fixture.origin.always(url, .holdHead(gate))
        }
        let store = try await fixture.open { $0.scheduling = .init(total: 64, perHost: 2, playbackReserve: 1) }
        let downloads = urls.map { url in
            Task { try await store.complete(ReadRequest(url: url, transferClass: .download)).isComplete }
        }
        await gate.waitForArrivals(2)
        for _ in 0..<200 { await Task.yield() }
        #expect(gate.arrivals == 2)
        // A resource that a player requests while it waits is fetched first.
        let playing = Task { try await store.bytes(urls[9]) }
        await gate.waitForArrivals(3)
        gate.open()
        #expect(try await playing.value.count == 5000)
        for download in downloads { #expect(try await download.value) }
        await store.close()
    }
}

private final class Admitted: Sendable {
    let order = Mutex<[TransferClass]>([])
}
