import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary
import Testing

@testable import MediaCacheServer

struct BundlesRouteTests {
    private func begin(_ host: CacheHost, name: String = "file.mp4") async throws -> BundleRecord {
        let part = AssetPart(role: .file, name: name, url: "http://one.bundle.invalid/\(APIClient.escape(name))")
        let request = BundleImportRequest(
            title: "A film", url: part.url, selection: nil, contents: AssetContents(parts: [part]))
        let body = String(decoding: try APICoding.makeEncoder().encode(request), as: UTF8.self)
        return try await host.answer("POST", "/api/v1/bundles", body: body)
    }

    @Test(arguments: [
        "offset=0&length=-9223372036854775808", "offset=0&length=-1", "offset=0&length=3", "offset=-1&length=10",
        "offset=9223372036854775807&length=9223372036854775807", "offset=7&length=10", "offset=0", "length=4",
        "offset=0&length=9223372036854775808",
    ])
    func refusesInvalidOffset(_ query: String) async throws {
        try await CacheHost.use { host in
            let id = try await begin(host).id
            #expect(try await host.call("PUT", "/api/v1/bundles/\(id)/file.mp4?\(query)", body: "four").status == 400)
        }
    }

    /// A stored part with one of these values couldn't be read again.
    @Test(arguments: [
        #""range": [-1, 0], "name": "file.mp4", "duration": 0"#,
        #""range": [0, 1, 2], "name": "file.mp4", "duration": 0"#, #""name": "", "duration": 0"#,
        #""name": "a\nb", "duration": 0"#, #""name": "a\tb", "duration": 0"#,
        #""name": "a", "storedAs": "", "duration": 0"#,
        #""name": "file.mp4", "duration": -1"#, #""name": "file.mp4", "duration": 1e300"#,
    ])
    func refusesInvalidPart(_ fields: String) async throws {
        try await CacheHost.use { host in
            let url = "http://one.bundle.invalid/file.mp4"
            let part =
                #"{"role": "file", "url": "\#(url)", "start": 0, "isEncrypted": false, "hasWholeBlocks": false, \#(fields)}"#
            let contents = #"{"playlists": [], "parts": [\#(part)], "duration": 0, "notes": [], "isGrowing": false}"#
            let answer = try await host.call(
                "POST", "/api/v1/bundles", body: #"{"url": "\#(url)", "contents": \#(contents)}"#)
            #expect(answer.status == 400 && !answer.text.contains("JSON"))
        }
    }

    @Test func refusesImportDuringDownload() async throws {
        try await CacheHost.use { host in
            let url = "http://one.bundle.invalid/file.mp4"
            let body = #"{"url": "\#(url)", "paused": true}"#
            let download: DownloadRecord = try await host.answer("POST", "/api/v1/downloads", body: body)
            let contents = #"{"playlists": [], "parts": [], "duration": 0, "notes": [], "isGrowing": false}"#
            let answer = try await host.call(
                "POST", "/api/v1/bundles", body: #"{"url": "\#(url)", "contents": \#(contents)}"#)
            #expect(answer.status == 409 && answer.text.contains(download.id))
            let end = try await host.call("POST", "/api/v1/bundles/\(download.id)/complete?gaps=1")
            #expect(end.status == 409)
            let same: DownloadRecord = try await host.answer("GET", "/api/v1/downloads/\(download.id)")
            #expect(same.state == .paused)
        }
    }

    @Test func refusesPieceOfPartWithAnotherLength() async throws {
        try await CacheHost.use { host in
            let path = "/api/v1/bundles/\(try await begin(host).id)/file.mp4"
            #expect(try await host.call("PUT", "\(path)?offset=0&length=8", body: "four").status == 204)
            let other = try await host.call("PUT", "\(path)?offset=4&length=9", body: "extra")
            #expect(other.status == 409)
        }
    }

    @Test func importsBundleSentInPieces() async throws {
        try await CacheHost.use { host in
            let id = try await begin(host).id
            let path = "/api/v1/bundles/\(id)"
            for (offset, text) in [(4, "more"), (0, "four")] {
                let query = "offset=\(offset)&length=8"
                #expect(try await host.call("PUT", "\(path)/file.mp4?\(query)", body: text).status == 204)
            }
            let done: BundleRecord = try await host.answer("POST", "\(path)/complete")
            #expect(done.state == .complete)
            let late = try await host.call("PUT", "\(path)/file.mp4?offset=0&length=8", body: "four")
            #expect(late.status == 409)
            let stored = try #require(
                try await host.store.resource(for: try ResourceURL("http://one.bundle.invalid/file.mp4")))
            #expect(stored.isComplete && stored.isPinned && stored.length == 8)
        }
    }

    @Test(arguments: [
        ("a b.mp4", "a%20b.mp4"), ("100%.mp4", "100%25.mp4"), ("100%.mp4", "100%.mp4"),
        ("a%20b.mp4", "a%2520b.mp4"), ("a%20b.mp4", "a%20b.mp4"),
    ])
    func findsPartsByEncodedAndLiteralNames(_ name: String, _ encoded: String) async throws {
        try await CacheHost.use { host in
            let id = try await begin(host, name: name).id
            let path = "/api/v1/bundles/\(id)/\(encoded)?offset=0&length=8"
            #expect(try await host.call("PUT", path, body: "fourmore").status == 204)
            let _: BundleRecord = try await host.answer("POST", "/api/v1/bundles/\(id)/complete")
            let read = try await host.exchange("GET", "/library/\(id)/\(encoded)")
            #expect(read.status == 200 && read.body == Array("fourmore".utf8))
            for other in ["..%2F\(encoded)", "%2E%2E/\(encoded)", "x%2F..%2F\(encoded)"] {
                #expect(try await host.exchange("GET", "/library/\(id)/\(other)").status == 404)
            }
        }
    }
}
