import Foundation
import MediaCacheTesting
import TestSupport
import Testing

@testable import MediaCache

/// Tests of power cuts at random calls during random operations. Afterwards the cache must be intact.
struct PowerCutTests {
    private static var seedCount: UInt64 {
        let environment = ProcessInfo.processInfo.environment
        if let count = environment["MEDIACACHE_SEEDS"].flatMap({ UInt64($0) }) { return count }
        return environment["MEDIACACHE_SOAK"] == "1" ? 5000 : 60
    }
    private static var firstSeed: UInt64 {
        ProcessInfo.processInfo.environment["MEDIACACHE_SEED"].flatMap { UInt64($0) } ?? 1
    }

    @Test func preservesCacheAfterEveryCut() async throws {
        let seeds = Self.firstSeed..<Self.firstSeed + Self.seedCount
        print("power cuts: seeds \(seeds), two cuts each")
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<2 as Range<UInt64> {
                group.addTask {
                    for seed in seeds where seed % 2 == worker { await Self.run(seed) }
                }
            }
        }
    }

    private static func run(_ seed: UInt64) async {
        do {
            try await PowerCutScenario(seed: seed).run()
        } catch {
            Issue.record("seed \(seed): \(error)")
        }
    }
}

/// A cache that is used, loses power, is checked, and is used again.
private final class PowerCutScenario: Sendable {
    let seed: UInt64
    let fixture: EngineFixture
    let bodies: [ResourceURL: ScriptedBody]
    let urls: [ResourceURL]
    /// A URL whose resource is completed and pinned, usually before the cut, and never removed. Its origin switches
    /// between two versions at random.
    let pinnedURL: ResourceURL
    let versions: [ScriptedResource]

    init(seed: UInt64) throws {
        self.seed = seed
        fixture = try EngineFixture()
        urls = try (0..<3).map { try ResourceURL("http://origin.example/\($0).mp4") }
        pinnedURL = try ResourceURL("http://origin.example/pinned.mp4")
        var bodies: [ResourceURL: ScriptedBody] = [:]
        for (index, url) in urls.enumerated() {
            bodies[url] = .random(seed: seed &* 31 &+ UInt64(index), length: 3_000_000 + Int64(index) * 77_777)
        }
        self.bodies = bodies
        versions = [700_001, 650_000].enumerated().map { index, length in
            ScriptedResource(
                .random(seed: seed &* 31 &+ 7 &+ UInt64(index), length: length), entityTag: "\"v\(index)\"")
        }
        fixture.origin[pinnedURL] = versions[0]
        for (url, body) in bodies {
            fixture.origin[url] = ScriptedResource(body, entityTag: url.description.count % 2 == 0 ? "\"1\"" : nil)
        }
    }

    func run() async throws {
        var random = SeededGenerator(seed: seed)
        var files = PowerCutFileSystem(syncsFileSystems: seed % 4 > 1)
        // Pinned blobs are on another file system.
        if seed % 2 == 1 { files.withDisk { [folder = fixture.folder] in $0.mounts = [folder + "/kept"] } }
        var wasPinned = false
        for _ in 0..<2 {
            let store = try await open(files)
            let copy = fixture.folder + "/copy-\(UUID().uuidString)"
            let catalog = store.engine.catalog
            files.cutPower(atOperation: Int.random(in: 1...160, using: &random), seed: random.next()) {
                try catalog.copy(to: copy)
            }
            let wasPinnedNow = try await work(on: store, files, &random)
            wasPinned = wasPinned || wasPinnedNow
            files.cutPowerNow()
            await store.close()
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: fixture.folder + "/catalog.sqlite" + suffix)
            }
            try FileManager.default.moveItem(atPath: copy, toPath: fixture.folder + "/catalog.sqlite")
            files = try files.survivor()
            try await check(files, wasPinned: wasPinned)
        }
    }

    private func open(_ files: PowerCutFileSystem) async throws -> CacheStore {
        try await fixture.open(files: files) { configuration in
            configuration.eviction = LeastRecentlyUsed(shrinkableSize: 2 << 20)
            // The clock advances while readers wait, which must not count as a failure of their origin.
            configuration.transfers.limits.firstByte = .seconds(1_000_000_000)
            configuration.transfers.limits.stall = .seconds(1_000_000_000)
        }
    }

    // MARK: - Operations

    /// Reads, removes, prunes and pins concurrently. Returns whether ``pinnedURL`` was pinned before the cut.
    private func work(
        on store: CacheStore, _ files: PowerCutFileSystem, _ random: inout SeededGenerator
    ) async throws -> Bool {
        let seeds = (0..<3).map { _ in random.next() }
        let changes = random.next()
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            for seed in seeds {
                group.addTask {
                    var random = SeededGenerator(seed: seed)
                    for _ in 0..<5 { try await self.act(on: store, &random) }
                    return false
                }
            }
            group.addTask {
                while true {
                    do {
                        let info = try await store.complete(ReadRequest(url: self.pinnedURL))
                        try await store.setPinned(true, id: info.id)
                        // The origin may have changed its version since the resource was completed.
                        guard try await store.resource(id: info.id)?.isComplete == true else { continue }
                        let wasPinned = !files.isCut
                        var random = SeededGenerator(seed: changes)
                        for _ in 0..<3 { await self.change(on: store, &random) }
                        return wasPinned
                    } catch let error as CacheError where [.notFound, .representationChanged].contains(error.code) {
                        // The version was evicted before it was pinned, or it differs from the version of the previous
                        // opening.
                    }
                }
            }
            return try await group.reduce(false) { $0 || $1 }
        }
    }

    private func act(on store: CacheStore, _ random: inout SeededGenerator) async throws {
        let url = urls[Int.random(in: 0..<urls.count, using: &random)]
        switch Int.random(in: 0..<12, using: &random) {
        case 0: try await remove(url, from: store)
        case 1: try await store.prune(limits: CacheLimits(maximumBytes: 3_000_000, minimumFreeBytes: 0))
        case 2, 3:
            if let info = try await store.resource(for: url) {
                try await ignoringMissing { try await store.setPinned(Bool.random(using: &random), id: info.id) }
            }
        case 4, 5: fixture.time.advance(by: .seconds(1))
        case 6: _ = try await store.usage()
        default: try await read(url, from: store, &random)
        }
    }

    /// Selects the origin's version of the pinned resource, which may fail once with 404. Then reads a part of the
    /// resource, and may download all of it. Ignores errors.
    private func change(on store: CacheStore, _ random: inout SeededGenerator) async {
        fixture.origin[pinnedURL] = versions.randomElement(using: &random)
        if Int.random(in: 0..<4, using: &random) == 0 { fixture.origin.next(pinnedURL, .status(404)) }
        fixture.time.advance(by: .seconds(90_000))
        let first = Int64.random(in: 0..<400_000, using: &random)
        for _ in 0..<3 { _ = try? await store.bytes(pinnedURL, .closed(first, through: first + 199_999)) }
        guard Bool.random(using: &random) else { return }
        // A download pauses for a while after playback ran short of data, which the advancing clock may have caused.
        _ = try? await fixture.advancingClock(by: .milliseconds(1)) { [pinnedURL] in
            try await store.complete(ReadRequest(url: pinnedURL, transferClass: .download, pins: true))
        }
    }

    private func remove(_ url: ResourceURL, from store: CacheStore) async throws {
        guard let info = try await store.resource(for: url) else { return }
        try await ignoringMissing { _ = try await store.remove(id: info.id) }
    }

    private func ignoringMissing(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as CacheError where error.code == .notFound {}
    }

    private func read(_ url: ResourceURL, from store: CacheStore, _ random: inout SeededGenerator) async throws {
        guard let body = bodies[url] else { return }
        let start = Int64.random(in: 0..<body.length, using: &random)
        let end = min(body.length, start + Int64.random(in: 1...2_000_000, using: &random))
        let session = try await store.read(ReadRequest(url: url, range: .from(start)))
        defer { session.cancel() }
        var position = start
        for try await bytes in session.buffers {
            guard body.matches(bytes, at: position) else { throw CheckFailure("wrong bytes of \(url) at \(position)") }
            position += Int64(bytes.count)
            if position >= end { break }
        }
    }

    // MARK: - Checks

    private func check(_ files: PowerCutFileSystem, wasPinned: Bool) async throws {
        fixture.origin.isReachable = false
        let store = try await open(files)
        let report = try await store.verify()
        if let finding = report.findings.first {
            throw CheckFailure("verify reported \(report.findings.count) findings, first \(finding)")
        }
        for info in try await store.resources() {
            let url = try ResourceURL(info.url)
            let candidates = url == pinnedURL ? versions.map(\.body) : [bodies[url]].compactMap(\.self)
            guard !candidates.isEmpty else { throw CheckFailure("the cache lists \(url), which wasn't requested") }
            for span in info.spans {
                let bytes = try await store.bytes(url, .closed(span.lowerBound, through: span.upperBound - 1))
                let isRight = candidates.contains { $0.matches(bytes, at: span.lowerBound) }
                guard isRight, bytes.count == span.count else {
                    throw CheckFailure("wrong bytes of \(url) in \(span)")
                }
            }
        }
        if wasPinned {
            let info = try await store.resource(for: pinnedURL)
            guard info?.isComplete == true, info?.isPinned == true else {
                let entry = try await store.engine.catalog.resource(key: pinnedURL.description)
                throw CheckFailure(
                    "the pinned version was lost: \(String(describing: info)), the catalog has "
                        + String(describing: entry))
            }
            let bytes = try await store.bytes(pinnedURL)
            guard versions.contains(where: { $0.body.bytes == bytes }) else {
                throw CheckFailure("wrong bytes of the pinned version")
            }
        }
        await store.cleanUpAfterEarlierOpening()
        // The deletion of the version that the pinned one replaced may not have ended. It begins with the catalog.
        try await store.settled { _ in try await self.orphan(of: store, files) == nil }
        if let orphan = try await orphan(of: store, files) { throw CheckFailure("the catalog doesn't list \(orphan)") }
        // A fault that wasn't used before the power cut may remain.
        fixture.origin.clearFaults(pinnedURL)
        fixture.origin.isReachable = true
        for (url, body) in bodies {
            guard try await store.bytes(url) == body.bytes else { throw CheckFailure("wrong bytes of \(url)") }
        }
        // The first read may find that the origin has changed its version.
        var bytes = try? await store.bytes(pinnedURL)
        if bytes == nil { bytes = try await store.bytes(pinnedURL) }
        guard versions.contains(where: { $0.body.bytes == bytes }) else {
            throw CheckFailure("wrong bytes of \(pinnedURL)")
        }
        guard try await store.verify().findings.isEmpty else {
            throw CheckFailure("verify reported damage after the fills")
        }
        await store.close()
    }

    /// Returns the path of a blob that the catalog doesn't list, or nil.
    private func orphan(of store: CacheStore, _ files: PowerCutFileSystem) async throws -> String? {
        let owned = try await store.engine.catalog.blobs()
        return files.withDisk(\.paths).first { path in
            let blob = path.split(separator: "/").last?.prefix { $0 != "." } ?? ""
            return owned[String(blob)] == nil
        }
    }

    private struct CheckFailure: Error, CustomStringConvertible {
        var description: String
        init(_ description: String) { self.description = description }
    }
}
