import Foundation
import MediaCache
import Testing

@testable import MediaLibrary

/// Tests of bundles whose parts can't be read or written.
struct BundleExportTests {
    /// A gateway whose resources are 3 MiB long. Of `b.ts`, only the first 2 MiB can be read.
    private struct Gateway: BundleGateway {
        static let length: Int64 = 3 << 20

        func servedURL(for url: ResourceURL) async throws -> String { "\(url)" }

        func servedURL(known url: String) -> String? { url }

        func read(_ url: String, range: Range<Int64>?, limit: Int) async throws -> FetchedBytes {
            let range = range ?? 0..<Self.length
            let end = min(range.upperBound, url.hasSuffix("/b.ts") ? 2 << 20 : Self.length)
            guard range.lowerBound < end else { throw MediaJobError(.failed, "the bytes can't be read") }
            return FetchedBytes(
                offset: range.lowerBound, bytes: Array(repeating: 0x47, count: Int(end - range.lowerBound)),
                completeLength: Self.length, entityTag: "1")
        }

        func cachedResource(at url: ResourceURL) async throws -> CachedResource? { nil }

        func cover(ofAsset id: String) async throws -> Cover? { nil }
    }

    private func export(
        _ names: [String], range: Range<Int64>? = nil, leavesGaps: Bool, to folder: String
    ) async throws -> BundleExport.Result {
        let parts = names.map { AssetPart(role: .mediaSegment, name: $0, url: "http://h/\($0)", range: range) }
        let playlist = AssetContents.LocalPlaylist(name: "index.m3u8", url: "http://h/index.m3u8", text: "#EXTM3U\n")
        let source = BundleExport.Source(
            id: "1", title: nil, url: playlist.url, withCredentials: false, selection: nil, missingParts: 0,
            hasCover: false, contents: AssetContents(playlists: [playlist], parts: parts),
            baseURL: "http://127.0.0.1/library/1/")
        return try await BundleExport(
            of: source, to: OutputFolder(path: "\(folder)/out", overwrites: false), leavesGaps: leavesGaps
        ).run(gateway: Gateway())
    }

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/mediacache-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    @Test(arguments: [nil, 0..<(3 << 20)] as [Range<Int64>?])
    func leavesNoTruncatedFileOfMissingPart(range: Range<Int64>?) async throws {
        try await withFolder { folder in
            let result = try await export(["a.ts", "b.ts"], range: range, leavesGaps: true, to: folder)
            #expect(result.missing == ["b.ts"] && result.parts == 1)
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/out").sorted()
            #expect(names == ["a.ts", BundleManifest.fileName, "index.m3u8"])
        }
    }

    @Test func reportsMissingPart() async throws {
        try await withFolder { folder in
            let error = await #expect(throws: MediaJobError.self) {
                try await export(["a.ts", "b.ts"], leavesGaps: false, to: folder)
            }
            #expect(error?.code == .missingParts)
        }
    }

    /// The file of the second part can't be created, because a folder has its name.
    @Test(arguments: [false, true]) func unwritablePartIsNotMissing(leavesGaps: Bool) async throws {
        try await withFolder { folder in
            let error = await #expect(throws: MediaJobError.self) {
                try await export(["a.ts/0.ts", "a.ts"], leavesGaps: leavesGaps, to: folder)
            }
            #expect(error?.code == .failed && error?.message.contains("a.ts") == true)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.isEmpty)
        }
    }
}
