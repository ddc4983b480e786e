import Foundation
import Testing

@testable import MediaCacheServer

struct PageRouteTests {
    private static let folder = URL(filePath: #filePath).appending(path: "../../../../Sources/CMediaCachePage/page")
        .standardizedFileURL

    @Test func embedsAllFilesInFolder() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        let files = PageRoute().files
        #expect(files.keys.sorted() == names)
        for name in names {
            let data = try Data(contentsOf: Self.folder.appending(path: name))
            #expect(files[name].map { Data($0) } == data, "\(name)")
        }
    }

    /// The content security policy blocks all other references.
    @Test func referencesOnlyOwnFiles() throws {
        for (name, bytes) in PageRoute().files {
            let text = String(decoding: bytes, as: UTF8.self)
            // XML namespaces are identifiers and aren't requested.
            let content = text.replacing("http://www.w3.org/", with: "")
            for line in content.split(separator: "\n") where line.contains("src=") || line.contains("import ") {
                #expect(!line.contains("http://") && !line.contains("https://"), "\(name): \(line)")
            }
            for match in text.matches(of: #/from "\.\/([^"]+)"/#) {
                #expect(PageRoute().files[String(match.output.1)] != nil, "\(name) imports \(match.output.1)")
            }
        }
        let index = String(decoding: try #require(PageRoute().files["index.html"]), as: UTF8.self)
        for match in index.matches(of: #/(?:src|href)="page\/([^"]+)"/#) {
            #expect(
                PageRoute().files[String(match.output.1)] != nil,
                "index.html references the missing file \(match.output.1)")
        }
        #expect(!index.contains("style=") && !index.contains("<script>") && !index.contains("onclick="))
    }

    @Test func servesPageWithoutKeyAndWithPolicy() async throws {
        try await CacheHost.use { host in
            for (path, type) in [
                ("/", "text/html; charset=utf-8"), ("/page/main.js", "text/javascript; charset=utf-8"),
                ("/page/page.css", "text/css; charset=utf-8"), ("/page/icon.svg", "image/svg+xml"),
            ] {
                let answer = try await host.exchange("GET", path)
                #expect(answer.status == 200 && answer.fields["content-type"] == type, "\(path)")
                let policy = try #require(answer.fields["content-security-policy"])
                #expect(policy.hasPrefix("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
                #expect(answer.fields["x-content-type-options"] == "nosniff")
                #expect(answer.fields["referrer-policy"] == "no-referrer")
            }
            #expect(try await host.exchange("GET", "/page/nothing.js").status == 404)
            #expect(try await host.exchange("GET", "/page/../index.html").status == 404)
            #expect(try await host.exchange("POST", "/", [], "").status == 405)
        }
    }
}
