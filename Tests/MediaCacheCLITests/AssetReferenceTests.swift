import MediaCacheAPI
import MediaCacheCurl
import MediaCacheServer
import MediaLibrary
import Testing

@testable import MediaCacheCLI

struct AssetReferenceTests {
    private func find(_ text: String) async throws -> String {
        let assets = [
            try DownloadSample.record("aaaaaaaaaaaa", ["title": "One"]),
            try DownloadSample.record("bbbbbbbbbbbb", ["title": "Two"]),
            try DownloadSample.record("cccccccccccc", ["title": "Two"]),
        ]
        let client = APIClient(address: "http://127.0.0.1:1", key: AccessKey(), origin: CurlOrigin())
        return try await AssetReference(parsing: text).find(in: assets, noun: "download", client: client).id
    }

    @Test(arguments: [
        ("bbbbbbbbbbbb", "bbbbbbbbbbbb"), ("One", "aaaaaaaaaaaa"), ("one", "aaaaaaaaaaaa"),
        ("http://h/cccccccccccc.mp4", "cccccccccccc"),
    ])
    func findsAssetByIDTitleOrURL(text: String, id: String) async throws {
        #expect(try await find(text) == id)
    }

    @Test func rejectsAmbiguousTitle() async throws {
        let error = await #expect(throws: MediaJobError.self) { try await find("Two") }
        #expect(
            error?.message == "“Two” matches 2 downloads; use an ID or a URL: "
                + "bbbbbbbbbbbb (http://h/bbbbbbbbbbbb.mp4), cccccccccccc (http://h/cccccccccccc.mp4)")
        let unknown = await #expect(throws: MediaJobError.self) { try await find("Three") }
        #expect(unknown?.message == "there is no download “Three”; check its URL, ID or title")
    }
}
