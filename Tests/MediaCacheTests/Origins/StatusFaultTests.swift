import Foundation
import HTTPTypes
import MediaCache
import MediaCacheTesting
import Synchronization
import Testing

/// Tests of error statuses, `Retry-After`, and the caller's URL refresher.
struct StatusFaultTests {
    static let body = ScriptedBody.random(seed: 61, length: 2_500_000)
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body)) }

    @Test(arguments: [401, 403, 404, 410, 429, 500, 502, 503, 204, 205])
    func reportsErrorStatusWithoutStoring(_ status: Int) async throws {
        let store = try await fixture.open()
        let code: CacheError.Code = status < 300 ? .badResponse : .originStatus
        fixture.origin.always(fixture.url, .status(status))
        try await fixture.expectFailure(store, of: Self.body, code: code)
        #expect(try await store.resource(for: fixture.url) == nil)
        fixture.origin.clearFaults(fixture.url)
        _ = try await store.bytes(fixture.url, .closed(0, through: 99))
        fixture.origin.always(fixture.url, .status(status))
        try await fixture.expectFailure(store, .from(2_000_000), of: Self.body, code: code)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    @Test(arguments: [404, 410, 403, 401, 400])
    func doesNotRetryPermanentFailures(_ status: Int) async throws {
        let store = try await fixture.open { $0.transfers.retries = .atOnce(4) }
        fixture.origin.always(fixture.url, .status(status))
        let error = await #expect(throws: CacheError.self) { try await store.bytes(fixture.url) }
        #expect(error?.status == status)
        #expect(fixture.origin.requests.count == 1)
        await store.close()
    }

    @Test(arguments: [
        ("7", 7), ("0", 0), ("Tue, 14 Nov 2023 22:13:29 GMT", 9), ("Mon, 13 Nov 2023 22:13:29 GMT", 0),
    ])
    func waitsForRetryAfter(_ retryAfter: String, _ seconds: Int) async throws {
        let time = RecordingTime()
        let (origin, url) = try StallTests.origin(time: nil)
        origin.next(url, .status(503, retryAfter: retryAfter))
        origin.next(url, .status(429, retryAfter: retryAfter))
        let reader = StallTests.reader(origin, url, time, RetryPolicy(budget: 2, initialDelay: .milliseconds(1)))
        _ = try await reader.open()
        #expect(time.noted.count == 2)
        #expect(time.noted.allSatisfy { $0 >= .seconds(seconds) && $0 < .seconds(seconds) + .milliseconds(10) })
    }

    @Test func failsImmediatelyAfterLongRetryAfter() async throws {
        let store = try await fixture.open { $0.transfers.retries = .atOnce(4) }
        fixture.origin.always(fixture.url, .status(503, retryAfter: "11"))
        let error = await #expect(throws: CacheError.self) { try await store.bytes(fixture.url) }
        #expect(error?.retryAfter == .seconds(11))
        #expect(error?.status == 503)
        #expect(fixture.origin.requests.count == 1)
        await store.close()
    }

    @Test(arguments: [401, 403, 410])
    func continuesAtSameByteWithRefreshedURL(_ status: Int) async throws {
        let fresh = try ResourceURL("http://origin.example/film.mp4?token=2")
        fixture.origin[fresh] = ScriptedResource(Self.body)
        let refreshes = Mutex<[ResourceURL]>([])
        let store = try await fixture.open { configuration in
            configuration.transfers.retries = .atOnce(1)
            configuration.keyPolicy = .dropping(queryItems: ["token"])
            configuration.transfers.refreshURL = { url in
                refreshes.withLock { $0.append(url) }
                return fresh
            }
        }
        fixture.origin.next(fixture.url, .reset(after: 300_000))
        fixture.origin.always(fixture.url, .status(status))
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(refreshes.withLock { $0 } == [fixture.url])
        #expect(fixture.origin.requests(for: fresh).first?.range?.knownStart == 300_000)
        #expect(fixture.origin.requests.reduce(0) { $1.status == 206 ? $0 + $1.bodyBytes : $0 } == Self.body.length)
        #expect(try await store.verify().findings.isEmpty)
        await store.close()
    }

    @Test func reportsErrorWithoutRefreshedURL() async throws {
        let refreshes = Mutex(0)
        let store = try await fixture.open { configuration in
            configuration.transfers.refreshURL = { url in
                refreshes.withLock { $0 += 1 }
                return refreshes.withLock { $0 } == 1 ? nil : url
            }
        }
        fixture.origin.always(fixture.url, .status(403))
        for expected in [1, 3] {
            let error = await #expect(throws: CacheError.self) { try await store.bytes(fixture.url) }
            #expect(error?.status == 403)
            // The refresher is called at most twice if its URL fails too.
            #expect(refreshes.withLock { $0 } == expected)
        }
        await store.close()
    }
}

extension OriginContext {
    static func test(
        _ origin: any Origin, time: any TimeSource, _ retries: RetryPolicy = RetryPolicy(budget: 0),
        random: Double = 0, _ change: (inout TransferSettings) -> Void = { _ in }
    ) -> OriginContext {
        var settings = TransferSettings(retries: retries)
        change(&settings)
        var context = OriginContext(origin: origin, time: time, settings: settings, counters: Counters())
        context.random = { random }
        return context
    }
}

/// A clock that records sleeps and returns from them immediately, except for the stall watch, which sleeps until it is
/// cancelled.
final class RecordingTime: TimeSource {
    private let manual = ManualTime()
    private let sleeps = Mutex<[Duration]>([])

    var noted: [Duration] { sleeps.withLock { $0 } }
    var now: Date { manual.now }
    var monotonic: Duration { manual.monotonic }

    func sleep(for duration: Duration) async throws {
        if duration == TransferLimits().stall / 4 { return try await manual.sleep(for: duration) }
        sleeps.withLock { $0.append(duration) }
    }
}
