import Foundation
import MediaCache
import Testing

@testable import MediaLibrary

struct BundleFolderTests {
    private let root = FileManager.default.temporaryDirectory.appending(path: "bundle-\(UUID())").path
    private var folder: String { root + "/film" }

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try write("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n", "index.m3u8")
        try write("G", "a.ts")
    }

    private func cleanUp() { try? FileManager.default.removeItem(atPath: root) }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
    }

    private func manifest(_ change: (inout BundleManifest) -> Void = { _ in }) throws -> [UInt8] {
        var manifest = BundleManifest(
            title: "A film", url: "http://origin.example/film.m3u8", entry: "index.m3u8", duration: 4, selection: nil,
            created: Date(timeIntervalSince1970: 1_700_000_000))
        manifest.parts = [.init(name: "a.ts", url: "http://origin.example/a.ts")]
        change(&manifest)
        return try manifest.encoded()
    }

    private func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }

    @Test func usesURLsOnlyIfTrusted() async throws {
        defer { cleanUp() }
        try write(try manifest(), to: "\(folder)/bundle.json")
        let bundle = try BundleFolder(path: folder)
        let (own, files) = try await bundle.contents(origin: "http://x.bundle.invalid/")
        #expect(own.parts.map(\.url) == ["http://x.bundle.invalid/a.ts"] && files.count == 1)
        let (trusted, _) = try await bundle.contents(origin: "http://x.bundle.invalid/", trustsURLs: true)
        #expect(trusted.parts.map(\.url) == ["http://origin.example/a.ts"])
    }

    @Test func resolvesReferencesAgainstBase() async throws {
        defer { cleanUp() }
        let base = try ResourceURL("https://cdn.example/show/index.m3u8")
        let segments = ["a.ts", "/show/b.ts", "https://cdn.example/show/c%20d.ts?x=1"]
        let lines = segments.map { "#EXTINF:4,\n\($0)\n" }.joined()
        try write("#EXTM3U\n#EXT-X-TARGETDURATION:4\n\(lines)#EXT-X-ENDLIST\n", "index.m3u8")
        try write("G", "b.ts")
        let folder = try BundleFolder(path: folder, base: base)
        await #expect(throws: CacheError.self) { try await folder.contents(origin: "http://x.bundle.invalid/") }
        let (contents, files) = try await folder.contents(origin: "http://x.bundle.invalid/", allowsGaps: true)
        let urls = ["a.ts", "b.ts", "c%20d.ts?x=1"].map { "https://cdn.example/show/\($0)" }
        #expect(contents.parts.map(\.url) == urls)
        #expect(contents.playlists.map(\.url) == [base.description])
        #expect(Set(files.keys) == Set(urls.prefix(2)))
    }

    @Test(arguments: ["../a.ts", "/a.ts", "https://cdn.example/showing/a.ts", "http://cdn.example/show/a.ts"])
    func rejectsReferenceOutsideBase(_ reference: String) async throws {
        defer { cleanUp() }
        try write("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n\(reference)\n#EXT-X-ENDLIST\n", "index.m3u8")
        let folder = try BundleFolder(path: folder, base: try ResourceURL("https://cdn.example/show/"))
        let error = await #expect(throws: CacheError.self) {
            try await folder.contents(origin: "http://x.bundle.invalid/", allowsGaps: true)
        }
        #expect(error?.code == .notMedia && error?.message.contains("below https://cdn.example/show/") == true)
    }

    @Test func rejectsManifestLinkedOutsideFolder() throws {
        defer { cleanUp() }
        try write(try manifest(), to: "\(root)/elsewhere.json")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/bundle.json", withDestinationPath: "\(root)/elsewhere.json")
        let error = #expect(throws: CacheError.self) { try BundleFolder(path: folder) }
        #expect(error?.description.contains("leads out") == true)
    }

    @Test func rejectsPipeAsManifest() throws {
        defer { cleanUp() }
        #expect(mkfifo("\(folder)/bundle.json", 0o600) == 0)
        #expect(throws: CacheError.self) { try BundleFolder(path: folder) }
    }

    @Test func rejectsOversizedManifest() throws {
        defer { cleanUp() }
        try write([], to: "\(folder)/bundle.json")
        let handle = try FileHandle(forWritingTo: URL(filePath: "\(folder)/bundle.json"))
        try handle.truncate(atOffset: 1 << 40)
        try handle.close()
        let error = #expect(throws: CacheError.self) { try BundleFolder(path: folder) }
        #expect(error?.description.contains("longer than") == true)
    }

    @Test func rejectsCoverOutsideFolder() throws {
        defer { cleanUp() }
        let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
        try write(picture, to: "\(root)/cover.jpg")
        for name in ["../cover.jpg", "link.jpg", "pipe.jpg"] {
            try write(try manifest { $0.cover = name }, to: "\(folder)/bundle.json")
            if name == "link.jpg" {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(folder)/\(name)", withDestinationPath: "\(root)/cover.jpg")
            }
            if name == "pipe.jpg" { #expect(mkfifo("\(folder)/\(name)", 0o600) == 0) }
            #expect(throws: CacheError.self) { try BundleFolder(path: folder).cover() }
        }
        try write(try manifest { $0.cover = "cover.jpg" }, to: "\(folder)/bundle.json")
        try write(picture, to: "\(folder)/cover.jpg")
        #expect(try BundleFolder(path: folder).cover()?.bytes == picture)
        try write([], to: "\(folder)/cover.jpg")
        let handle = try FileHandle(forWritingTo: URL(filePath: "\(folder)/cover.jpg"))
        try handle.truncate(atOffset: 1 << 40)
        try handle.close()
        #expect(try BundleFolder(path: folder).cover() == nil)
    }
}
