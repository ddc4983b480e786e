import Foundation
import MediaCache
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaLibrary

/// Device conditions that a test sets.
final class ScriptedConditions: DownloadConditions {
    private let state = Mutex((DeviceConditions(), [] as [AsyncStream<DeviceConditions>.Continuation]))

    var current: DeviceConditions { state.withLock { $0.0 } }

    func changes() -> AsyncStream<DeviceConditions> {
        let (stream, continuation) = AsyncStream.makeStream(of: DeviceConditions.self)
        state.withLock { $0.1.append(continuation) }
        return stream
    }

    func change(_ change: (inout DeviceConditions) -> Void) {
        let (now, listeners) = state.withLock { state in
            change(&state.0)
            return state
        }
        for listener in listeners { listener.yield(now) }
    }
}

/// Conditions whose network is known to be metered only after they have been refreshed.
private final class LateConditions: DownloadConditions {
    private let isKnown = Mutex(false)

    var current: DeviceConditions { DeviceConditions(network: isKnown.withLock { $0 } ? .metered : .unmetered) }

    func refresh() async { isKnown.withLock { $0 = true } }

    func changes() -> AsyncStream<DeviceConditions> { AsyncStream { $0.finish() } }
}

struct DownloadPolicyTests {
    @Test func reportsObstacles() {
        var policy = DownloadPolicy()
        policy.onlyUnmetered = true
        policy.onlyCharging = true
        policy.sparesPower = true
        func obstacle(_ conditions: DeviceConditions) -> DownloadObstacle.Kind? {
            policy.obstacle(under: conditions, at: Date(timeIntervalSince1970: 0))?.kind
        }
        #expect(obstacle(DeviceConditions()) == nil)
        #expect(obstacle(DeviceConditions(network: .absent)) == .network)
        #expect(obstacle(DeviceConditions(network: .metered)) == .network)
        #expect(obstacle(DeviceConditions(isCharging: false)) == .power)
        #expect(obstacle(DeviceConditions(isLowPower: true)) == .power)
        #expect(obstacle(DeviceConditions(isHot: true)) == .power)
    }

    @Test(arguments: [(8, false), (22, true), (23, true), (3, true), (6, false)])
    func hoursMayIncludeMidnight(_ hour: Int, _ isAllowed: Bool) throws {
        var policy = DownloadPolicy()
        policy.hours = .init(start: 22 * 60, end: 6 * 60)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        let now = Date(timeIntervalSince1970: Double(hour) * 3600)
        let obstacle = policy.obstacle(under: DeviceConditions(), at: now, calendar: calendar)
        #expect((obstacle == nil) == isAllowed)
        if let until = obstacle?.until { #expect(until == Date(timeIntervalSince1970: 22 * 3600)) }
    }

    @Test func returnsNextChangeOfHours() throws {
        var policy = DownloadPolicy()
        #expect(policy.nextChange(after: Date(timeIntervalSince1970: 0)) == nil)
        policy.hours = .init(start: 22 * 60, end: 6 * 60)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        func next(_ hour: Double) -> Double? {
            policy.nextChange(after: Date(timeIntervalSince1970: hour * 3600), calendar: calendar)
                .map { $0.timeIntervalSince1970 / 3600 }
        }
        #expect(next(3) == 6)
        #expect(next(8) == 22)
        #expect(next(23) == 30)
    }

    @Test func refreshesConditionsBeforeDownloadsStart() async throws {
        let fixture = DownloadFixture()
        fixture.serveStream(segments: 3)
        var policy = DownloadPolicy()
        policy.onlyUnmetered = true
        try await fixture.use(policy: policy, conditions: LateConditions()) { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            #expect(try await fixture.obstacle(of: asset.id, downloads).kind == .network)
            #expect(fixture.library.origin.requests.isEmpty)
        }
    }

    @Test func downloadFollowsConditions() async throws {
        let fixture = DownloadFixture()
        fixture.serveStream(segments: 3)
        let gate = ScriptedGate()
        fixture.next("1.ts", .holdBody(at: 376, gate))
        let conditions = ScriptedConditions()
        let limits = DownloadLimits(assets: 1, transfersPerAsset: 1)
        try await fixture.use(limits: limits, conditions: conditions) { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            await fixture.library.origin.wait { $0.contains { $0.bodyBytes == 376 } }
            conditions.change { $0.network = .absent }
            #expect(try await fixture.obstacle(of: asset.id, downloads).kind == .network)
            #expect(fixture.library.origin.requests.allSatisfy { $0.progress != .running })
            gate.open()
            conditions.change { $0.network = .unmetered }
            #expect(try await fixture.end(asset.id, of: downloads).state == .complete)
        }
    }
}
