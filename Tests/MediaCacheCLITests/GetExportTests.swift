import Foundation
import MediaCache
import MediaLibrary
import Testing

@testable import MediaCacheCLI

struct GetExportTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func check(_ urls: [String], overwrites: Bool = false) throws {
        let export = GetExport(
            output: folder.path, isFolder: urls.count > 1, overwrites: overwrites, selection: StreamSelection())
        try export.check(try urls.map { try ResourceURL($0) })
    }

    @Test(arguments: [
        ["http://a/film.mp4", "http://b/film.mp4"], ["http://a/show/index.m3u8", "http://b/show/master.m3u8"],
    ])
    func rejectsURLsWithSameOutput(urls: [String]) throws {
        for overwrites in [false, true] {
            let failure = #expect(throws: CommandFailure.self) { try check(urls, overwrites: overwrites) }
            #expect(failure?.exitCode == 64)
            #expect(failure?.message.hasPrefix("\(urls[0]) and \(urls[1]) would both be exported to") == true)
        }
    }

    @Test(arguments: ["new/", "new/deeper/film.mp4", "new/%(host)s/%(index)s %(title)s.%(ext)s"])
    func createsFolders(output: String) throws {
        let export = GetExport(
            output: folder.file(output), isFolder: false, overwrites: false, selection: StreamSelection())
        try export.check([try ResourceURL("http://a/film.mp4")])
        let created = output.contains("host") ? "new/a" : output.contains("deeper") ? "new/deeper" : "new"
        var isFolder: ObjCBool = false
        #expect(FileManager.default.fileExists(atPath: folder.file(created), isDirectory: &isFolder))
        #expect(isFolder.boolValue)
    }

    @Test func acceptsURLsWithDifferentOutputs() throws {
        try check(["http://a/one.mp4", "http://a/two.mp4", "http://a/three/index.m3u8", "http://a/four/index.m3u8"])
        try check(["http://a/one.mp4", "http://a/one.mp4"], overwrites: true)
    }
}
