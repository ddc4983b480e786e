import Foundation
import MediaCacheTesting
import Testing

@testable import MediaCache

struct DamageTests {
    enum Damage: CaseIterable { case missing, truncated, flipped, zeroed, empty }

    static let body = ScriptedBody.random(seed: 3, length: 3_000_000)
    private let files = PowerCutFileSystem()
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body), files: files) }

    private func damage(_ damage: Damage, _ path: String) {
        files.withDisk { disk in
            switch damage {
            case .missing: disk.remove(path)
            case .truncated: disk.damage(path) { $0.removeLast(1_234_567) }
            case .flipped: disk.damage(path) { $0[1_500_000] ^= 4 }
            case .zeroed:
                disk.damage(path) { $0.replaceSubrange(65_536..<131_072, with: repeatElement(0, count: 65_536)) }
            case .empty: disk.damage(path) { $0 = [] }
            }
        }
    }

    private func blob() throws -> String {
        try #require(files.withDisk(\.paths).first { $0.hasSuffix(".bin") })
    }

    private func fill() async throws {
        let store = try await fixture.open()
        _ = try await store.complete(ReadRequest(url: fixture.url))
        await store.close()
    }

    /// Returns a store whose blob was damaged while it was closed.
    private func damagedStore(_ kind: Damage) async throws -> CacheStore {
        try await fill()
        damage(kind, try blob())
        return try await fixture.open()
    }

    @Test(arguments: Damage.allCases)
    func refetchesDamageFoundByReading(_ kind: Damage) async throws {
        let store = try await damagedStore(kind)
        let events = store.events()
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(fixture.origin.bodyBytes > Self.body.length)
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        await store.close()
        let isReported = await events.contains {
            if case .damaged(let key, _) = $0 { key == fixture.url.description } else { false }
        }
        #expect(isReported)
        let next = try await fixture.open()
        #expect(try await next.verify().findings.isEmpty)
        await next.close()
    }

    @Test(arguments: Damage.allCases)
    func verifyReportsAndRepairsDamage(_ kind: Damage) async throws {
        let store = try await damagedStore(kind)
        let report = try await store.verify(repair: true)
        #expect(!report.findings.isEmpty)
        #expect(report.findings.filter { !$0.isRepaired }.isEmpty)
        #expect(try await store.resource(for: fixture.url)?.isComplete == true)
        #expect(try await store.verify().findings.isEmpty)
        fixture.origin.isReachable = false
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        await store.close()
    }

    @Test func verifyWithoutRepairLeavesHole() async throws {
        try await fill()
        damage(.flipped, try blob())
        fixture.origin.isReachable = false
        let store = try await fixture.open()
        #expect(try await store.verify().findings.map(\.isRepaired) == [false])
        #expect(try await store.resource(for: fixture.url)?.isComplete == false)
        await store.close()
    }

    @Test func repeatedReadErrorBecomesHole() async throws {
        try await fill()
        let failures = Counter()
        let store = try await fixture.open()
        files.fail { call, _ in call == .read && failures.next() == 1 ? EIO : nil }
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(fixture.origin.bodyBytes == Self.body.length)
        #expect(store.statistics.bytesDamaged == 0)
        let next = try await fixture.reopen(store)
        let more = Counter()
        files.fail { call, path in call == .read && path.hasSuffix(".bin") && more.next() <= 200 ? EIO : nil }
        #expect(try await next.bytes(fixture.url) == Self.body.bytes)
        #expect(next.statistics.bytesDamaged > 0)
        await next.close()
    }

    @Test func neverWritesToLinkedFile() async throws {
        try await fill()
        let first = try await fixture.open()
        let local = try #require(try await first.localFile(for: fixture.url))
        #expect(local.path.hasSuffix(".mp4"))
        files.withDisk { disk in
            disk.makeFolder("/home/person")
            do { try disk.link(local.path, to: "/home/person/film.mp4") } catch { Issue.record("\(error)") }
        }
        await first.close()
        damage(.flipped, try blob())
        let damaged = try files.withDisk { try $0.contents(of: "/home/person/film.mp4") }
        let store = try await fixture.open()
        let report = try await store.verify(repair: true)
        #expect(report.findings.map(\.isRepaired) == [true])
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(try files.withDisk { try $0.contents(of: "/home/person/film.mp4") } == damaged)
        #expect(try files.withDisk { try $0.linkCount(of: "/home/person/film.mp4") } == 1)
        let again = try #require(try await store.localFile(for: fixture.url))
        #expect(try files.withDisk { try $0.contents(of: again.path) } == Self.body.bytes)
        await store.close()
    }

    /// A link that ends with `json` would have the name of the sidecar.
    @Test func providesPinnedJSONFile() async throws {
        let url = try ResourceURL("http://origin.example/list.json")
        let text = #"{"films": ["a", "b"]}"#
        fixture.origin[url] = ScriptedResource(.text(text), contentType: "application/json")
        let store = try await fixture.open()
        let info = try await store.complete(ReadRequest(url: url))
        try await store.setPinned(true, id: info.id)
        let local = try #require(try await store.localFile(for: url))
        #expect(try files.withDisk { try $0.contents(of: local.path) } == Array(text.utf8))
        let sidecar = try #require(files.withDisk(\.paths).first { $0.hasSuffix(".json") })
        let encoded = try files.withDisk { try $0.contents(of: sidecar) }
        #expect(try Sidecar(encoded: encoded).key == url.description)
        await store.close()
    }

    @Test(arguments: [EPERM, EOPNOTSUPP])
    func providesBlobOnFileSystemWithoutHardLinks(_ number: Int32) async throws {
        try await fill()
        files.fail { call, _ in call == .link ? number : nil }
        let store = try await fixture.open()
        let local = try #require(try await store.localFile(for: fixture.url))
        #expect(try local.path == blob())
        await store.close()
    }

    @Test func neitherPunchesNorTruncatesLinkedFile() async throws {
        try await fill()
        let store = try await fixture.open { $0.eviction = LeastRecentlyUsed(shrinkableSize: 1 << 20) }
        do { _ = try #require(try await store.localFile(for: fixture.url)) }
        let path = try blob()
        files.withDisk { disk in
            do { try disk.link(path, to: "/film.mp4") } catch { Issue.record("\(error)") }
        }
        #expect(try await store.prune(limits: CacheLimits(maximumBytes: 2_500_000, minimumFreeBytes: 0)) == 3_000_000)
        #expect(try files.withDisk { try $0.contents(of: "/film.mp4") } == Self.body.bytes)
        #expect(files.withDisk(\.paths) == ["/film.mp4"])
        await store.close()
    }

    @Test func doesNotReturnDamagedFile() async throws {
        let store = try await damagedStore(.flipped)
        #expect(try await store.localFile(for: fixture.url) == nil)
        await store.close()
    }

    /// `verify` repairs damage that an earlier call has found.
    @Test(arguments: Damage.allCases)
    func repairsPreviouslyFoundDamage(_ kind: Damage) async throws {
        try await fill()
        damage(kind, try blob())
        var found: [Range<Int64>] = []
        for _ in 0..<2 {
            let store = try await fixture.open()
            let report = try await store.verify()
            #expect(!report.findings.isEmpty)
            #expect(report.findings.allSatisfy { !$0.isRepaired })
            let lost = report.findings.map { $0.start..<$0.end }
            #expect(found.isEmpty || found == lost)
            found = lost
            await store.close()
        }
        let sentBytes = fixture.origin.bodyBytes
        let store = try await fixture.open()
        let repaired = try await store.verify(repair: true)
        #expect(repaired.findings.map { $0.start..<$0.end } == found)
        #expect(repaired.findings.allSatisfy { $0.isRepaired }, "\(repaired.findings)")
        #expect(fixture.origin.bodyBytes > sentBytes)
        #expect(try await store.resource(for: fixture.url)?.isComplete == true)
        #expect(try await store.verify().findings.isEmpty)
        await store.close()
    }

    /// Reading fetches the bytes again, and then no damage is reported.
    @Test func forgetsDamageWhenRefetched() async throws {
        let store = try await damagedStore(.flipped)
        #expect(try await store.verify().findings.count == 1)
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(try await store.verify().findings.isEmpty)
        await store.close()
    }
}
