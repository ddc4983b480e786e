import Foundation
import MediaCacheTesting
import Testing

@testable import MediaCache

/// Tests of the copy of a catalog in memory, which is used if the folder is read-only.
struct CatalogCopyTests {
    private let fixture: EngineFixture
    private var path: String { fixture.folder + "/catalog.sqlite" }

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(.random(seed: 4, length: 300_000))) }

    private func files() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder)
        let contents = try names.filter { $0.hasPrefix("catalog.sqlite") }.map { name in
            (name, try Data(contentsOf: URL(filePath: "\(fixture.folder)/\(name)")))
        }
        return Dictionary(uniqueKeysWithValues: contents)
    }

    /// While the store is open, and after a crash, the latest commits may be only in the write-ahead log.
    @Test(arguments: [true, false])
    func containsAllCommits(isInUse: Bool) async throws {
        let store = try await fixture.open()
        _ = try await store.complete(ReadRequest(url: fixture.url))
        if !isInUse { await store.close() }
        let before = try files()
        let copy = try Catalog(.copy(of: path))
        #expect(try await copy.resources().map(\.resource.key) == [fixture.url.description])
        let entry = try #require(try await copy.resource(key: fixture.url.description))
        try await copy.delete(representations: entry.representations.map(\.id))
        #expect(try await copy.resources().isEmpty)
        try copy.close()
        try copy.reopen()
        #expect(try await copy.resources().count == 1)
        try copy.close()
        let after = try files()
        #expect(after == before)
        await store.close()
    }

    @Test func leavesDamagedCatalogUnchanged() async throws {
        try await fixture.open().close()
        let garbage = Data(repeating: 0x5A, count: 65_536)
        try garbage.write(to: URL(filePath: path))
        await expectError(.damaged) { _ = try Catalog(.copy(of: path)) }
        let after = try files()
        #expect(after["catalog.sqlite"] == garbage)
    }

    /// Another folder for the copy wouldn't help, because the catalog's content is the same. The error of the last
    /// folder must not replace the refusal.
    @Test(arguments: [CacheError.Code.newerFormat, .damaged, .folderOwned])
    func triesNoOtherFolderAfterErrorOfContent(_ code: CacheError.Code) async {
        let calls = Counter()
        await expectError(code) {
            try RuntimeFolder.use("catalog", for: CacheLocation(folder: fixture.folder)) { _ -> Void in
                calls.next()
                throw CacheError(code, "the catalog can't be used")
            }
        }
        #expect(calls.value == 1)
    }
}
