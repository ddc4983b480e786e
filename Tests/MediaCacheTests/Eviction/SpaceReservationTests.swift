import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaCache

/// Tests that the limits hold during fills.
struct SpaceReservationTests {
    private static let length: Int64 = 3_000_000
    private let files = PowerCutFileSystem()
    private let fixture: EngineFixture
    private let urls: [ResourceURL]

    init() throws {
        fixture = try EngineFixture(files: files)
        urls = try (0..<20).map { try ResourceURL("http://origin.example/\($0).mp4") }
        for (index, url) in urls.enumerated() { fixture.origin[url] = ScriptedResource(Self.body(index)) }
    }

    private static func body(_ index: Int) -> ScriptedBody { .random(seed: UInt64(index), length: length) }

    /// Plays all resources in order. The clock doesn't advance, so only fills apply the limits.
    private func playAll(_ store: CacheStore) async throws {
        for (index, url) in urls.enumerated() {
            #expect(try await store.bytes(url) == Self.body(index).bytes)
        }
    }

    @Test func appliesByteLimitDuringFills() async throws {
        let store = try await fixture.open { $0.limits.maximumBytes = 12_000_000 }
        try await playAll(store)
        #expect(files.withDisk(\.peak) <= 12_000_000)
        let last = try #require(urls.last)
        #expect(try await store.resource(for: last)?.isComplete == true)
        #expect(try await store.usage().bytes >= 6_000_000)
        #expect(try await store.verify().findings.isEmpty)
        await store.close()
    }

    /// A measurement that begins before the limits are lowered must not grant space according to the previous ones.
    @Test func discardsMeasurementWithPreviousLimits() async throws {
        let space = SpaceReservation()
        let (measurements, changed) = (Counter(), ChangeSignal())
        let isLowered = Mutex(false)
        space.setMeasure { needed in
            guard measurements.next() == 1 else { return needed }
            await changed.wait { !isLowered.withLock { $0 } }
            return 10_000_000
        }
        let write = Task { try await space.reserve(1000) {} }
        while measurements.value == 0 { await Task.yield() }
        space.revoke()
        isLowered.withLock { $0 = true }
        changed.send()
        try await write.value
        try await space.reserve(1) {}
        #expect(measurements.value == 3)
    }

    @Test func appliesFreeDiskLimitDuringFills() async throws {
        files.withDisk { $0.capacity = 40_000_000 }
        let store = try await fixture.open { $0.limits.minimumFreeBytes = 20_000_000 }
        try await playAll(store)
        #expect(files.withDisk(\.peak) <= 20_000_000)
        #expect(try await store.usage().bytes >= 10_000_000)
        await store.close()
    }

    @Test func storesPartOfResourceBeyondLimit() async throws {
        let body = ScriptedBody.random(seed: 99, length: 30_000_000)
        fixture.origin[fixture.url] = ScriptedResource(body)
        let store = try await fixture.open { $0.limits.maximumBytes = 8_000_000 }
        #expect(try await store.bytes(fixture.url) == body.bytes)
        #expect(files.withDisk(\.peak) <= 8_000_000)
        // Cached bytes aren't requested again.
        let before = fixture.origin.bodyBytes
        #expect(try await store.bytes(fixture.url) == body.bytes)
        #expect(fixture.origin.bodyBytes - before <= body.length - 6_000_000)
        await store.close()
    }

    @Test func refusesToCompleteResourceBeyondLimit() async throws {
        let store = try await fixture.open { $0.limits.maximumBytes = 2_000_000 }
        let error = await expectError(.storage) { try await store.complete(ReadRequest(url: urls[0])) }
        #expect(error?.message.contains("2.00 MB") == true)
        #expect(fixture.origin.bodyBytes < Self.length)
        await store.close()
    }

    @Test func playsWithPinsAtLimitAndResumesStoring() async throws {
        let store = try await fixture.open { $0.limits.maximumBytes = 6_000_000 }
        let events = store.events()
        for url in urls.prefix(2) {
            let info = try await store.complete(ReadRequest(url: url))
            try await store.setPinned(true, id: info.id)
        }
        #expect(try await store.bytes(urls[2]) == Self.body(2).bytes)
        await store.probeStorage()
        #expect(store.engine.health.isFailing)
        for url in urls.prefix(2) {
            let info = try #require(try await store.resource(for: url))
            #expect(info.isComplete)
            try await store.setPinned(false, id: info.id)
        }
        await store.probeStorage()
        #expect(!store.engine.health.isFailing)
        #expect(try await store.bytes(urls[2]) == Self.body(2).bytes)
        #expect(try await store.resource(for: urls[2])?.isComplete == true)
        #expect(files.withDisk(\.peak) <= 6_000_000 + 10_000, "the limit was exceeded by more than two sidecars")
        await store.close()
        var messages: [String] = []
        for await event in events { if case .storageFailed(let error) = event { messages.append(error.message) } }
        #expect(messages.count == 1)
        #expect(messages.first?.contains("6.00 MB") == true)
    }

    @Test func appliesLimitToConcurrentReaders() async throws {
        let store = try await fixture.open { $0.limits.maximumBytes = 9_000_000 }
        let urls = urls
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, url) in urls.enumerated() {
                group.addTask { () async throws in
                    #expect(try await store.bytes(url) == Self.body(index).bytes)
                }
            }
            try await group.waitForAll()
        }
        #expect(files.withDisk(\.peak) <= 9_000_000)
        #expect(try await store.verify().findings.isEmpty)
        await store.close()
    }

    @Test func recoversFromDiskFilledByOtherProcesses() async throws {
        files.withDisk { $0.capacity = 40_000_000 }
        let store = try await fixture.open()
        #expect(try await store.bytes(urls[0]) == Self.body(0).bytes)
        // Other processes have used space that was already granted.
        files.withDisk { $0.capacity = $0.usedBytes + 500_000 }
        #expect(try await store.bytes(urls[1]) == Self.body(1).bytes)
        files.withDisk { $0.capacity = 40_000_000 }
        await store.probeStorage()
        #expect(try await store.bytes(urls[2]) == Self.body(2).bytes)
        #expect(try await store.resource(for: urls[2])?.isComplete == true)
        await store.close()
    }
}
